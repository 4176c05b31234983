/** agentmail send: put a message into somebody's mailbox. */
import { sendTo } from '../../addresses/send.ts'
import { Config } from '../../config.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { AgentMailError } from '../../errors.ts'
import { checkHasName } from '../../mailbox/agent.ts'
import { joinOffice, recipientNotFound } from '../../mailbox/member.ts'
import type { Command } from '../command.ts'
import { othersFor, printSent } from '../letterbox.ts'
import { pipedText } from '../piped-text.ts'

export const command: Command = {
  usage: '[-r <recipient>] [-m <message>] [<recipient>] [<message>]',
  summary: 'Send a message to another agent.',
  details:
    'Without -m, text piped to standard input is the message, awaited to its end; if that is empty, the\nlast argument is.\nA recipient is a name from `agentmail recipients`, or the person (human): one with a mailbox here gets it\nthere, a registered agent in its channel, one with a mailbox in another clone of the project there.\nWhere another agent of that name is registered from elsewhere, stderr tells, once the message is\ndelivered. A message holds at most 64KB.',
  options: {
    recipient: { type: 'string', short: 'r', value: 'name', about: 'who gets it' },
    message: {
      type: 'string',
      short: 'm',
      value: 'text',
      about: 'what to say; standard input is not read',
    },
  },
  maxPositionals: 2,

  async run({ flags, positionals, json }) {
    const config = await withOwnName(new Config())
    checkHasName(config)
    const words = [...positionals]
    const recipient = textFlag(flags.recipient) ?? (words.length > 0 ? words.shift() : undefined)
    // With -r, a first of two words is a recipient that the flag overrules; a single one is the message.
    const word = words.at(-1)
    if (!recipient) throw missing()
    const message = textFlag(flags.message) ?? (await pipedText(word !== undefined)) ?? word ?? ''
    const letterbox = { ...othersFor(config), member: await joinOffice(config) }
    const sent = await sendTo(letterbox, recipient, message).catch((error) => {
      throw AgentMailError.is(error, 'self_send') ? recipientNotFound() : error
    })
    await printSent(sent, json)
    return 0
  },
}

const textFlag = (flag: string | boolean | undefined) =>
  typeof flag === 'string' ? flag : undefined

const missing = () =>
  new AgentMailError(
    'missing_arguments',
    'missing required arguments: recipient message',
    'For example: agentmail send reviewer "The build is green"',
  )
