/** agentmail receive: take the oldest unread message. */
import { Config } from '../../config.ts'
import { withOwnName } from '../../connection/own-name.ts'
import { joinOffice, type Received, receive } from '../../mailbox/member.ts'
import type { Command } from '../command.ts'
import { print, printError, printJson } from '../output.ts'
import { line } from '../table.ts'

export const command: Command = {
  usage: '[--hook]',
  summary: 'Read your oldest unread message.',
  details:
    '--hook is for the hooks of coding agents: a message goes to stderr with exit code 2, which puts it\nbefore the agent; without one, and on any error, it is silent and exits with 0.',
  exitCodes: {
    0: 'a message, or none',
    2: 'not in tmux and without a name; with --hook: a message',
  },
  options: {
    hook: { type: 'boolean', about: 'answer in the form that hooks of coding agents expect' },
  },

  isSilentOnError: (args) => args.includes('--hook'),

  async run({ flags, json }) {
    const isQuiet = flags.hook === true
    const config = await withOwnName(new Config())
    const member = await joinOffice(config, undefined, { isQuiet })
    if (isQuiet) return handToHook(await receive(member, () => {}))
    const received = await receive(member)
    if (json) printJson(received)
    else print(readable(received))
    return 0
  },
}

function handToHook(received: Received): number {
  if (!('message' in received)) return 0
  printError(`You got new mail\n${readable(received)}`)
  return 2
}

/** The message is as it was sent; who sent it and under which id makes no line that passes for another. */
const readable = (received: Received): string =>
  'message' in received
    ? `From: ${line(received.from)}\nID: ${line(received.id)}\n\n${received.message}\n`
    : `${received.status}\n`
