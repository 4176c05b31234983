/** agentmail send: put a message into somebody's mailbox. */
import { fstatSync } from 'node:fs'
import { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { log } from '../../log.ts'
import { checkHasName } from '../../mailbox/agent.ts'
import { maxMessageBytes } from '../../mailbox/message.ts'
import { newMessageId, openPost, recipientNotFound, send } from '../../mailbox/post.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '[-r <recipient>] [-m <message>] [<recipient>] [<message>]',
  summary: 'Send a message to another agent.',
  details:
    'Without -m, text piped to standard input is the message, awaited to its end; if that is empty, the\nlast argument is.\nA recipient is a name from `agentmail recipients`. A message holds at most 64KB.',
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
    const config = new Config()
    checkHasName(config)
    const words = [...positionals]
    const recipient = textFlag(flags.recipient) ?? (words.length > 0 ? words.shift() : undefined)
    // With -r, a first of two words is a recipient that the flag overrules; a single one is the message.
    const word = words.at(-1)
    if (!recipient) throw missing()
    const message = textFlag(flags.message) ?? (await pipedText(word !== undefined)) ?? word ?? ''
    const opening = openPost(config)
    const id = newMessageId() // while git and tmux are at work
    const sent = await send(await opening, recipient, message, id).catch((error) => {
      throw AgentMailError.is(error) && error.code === 'self_send' ? recipientNotFound() : error
    })
    if (json) printJson(sent)
    else print(`Message #${sent.message_id} sent`)
    return 0
  },
}

const textFlag = (flag: string | boolean | undefined) =>
  typeof flag === 'string' ? flag : undefined

/**
 * What is piped in, without its last newline; nothing if that is empty or nobody pipes. A pipe of
 * a shell is waited for to its end. A socket is what programs give their children by default and
 * often leave open: where there is a word to send, one that stays silent is given up.
 */
async function pipedText(hasWord: boolean): Promise<string | undefined> {
  const kind = inputKind()
  if (!kind) return undefined
  const silence =
    hasWord && kind === 'socket'
      ? setTimeout(() => process.stdin.destroy(), 1000)
      : setTimeout(() => log('waiting for the message on standard input'), 5000)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of process.stdin) {
      clearTimeout(silence)
      chunks.push(chunk)
      size += chunk.length
      if (size > maxMessageBytes + 2) break
    }
  } catch {
    if (size === 0) return undefined // given up, or closed
    throw new AgentMailError(
      'invalid_request',
      'standard input failed before its end',
      'Try again.',
    )
  } finally {
    clearTimeout(silence)
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  return text === '' ? undefined : text
}

function inputKind(): 'pipe' | 'socket' | undefined {
  try {
    const stat = fstatSync(0)
    if (stat.isSocket()) return 'socket'
    return stat.isFIFO() || stat.isFile() ? 'pipe' : undefined
  } catch {
    return undefined
  }
}

const missing = () =>
  new AgentMailError(
    'missing_arguments',
    'missing required arguments: recipient message',
    'For example: agentmail send reviewer "The build is green"',
  )
