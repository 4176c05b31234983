/** agentmail messages: what was said in the channels. */
import type { MessageEntry, MessagesRequest } from '../../coordination/messages.ts'
import { type Command, flagText } from '../command.ts'
import {
  connected,
  cursorAfter,
  following,
  pageOf,
  pageOptions,
  placeOptions,
} from '../coordination.ts'
import { print, printJson } from '../output.ts'
import { line, localTime, plain } from '../table.ts'

const followSeconds = 25

export const command: Command = {
  usage: '[--channel <name>] [--since <time>] [--follow]',
  summary: 'Show the messages of the coordination channels.',
  details:
    'Without --since or --after-id: the newest. --follow goes on with what comes; with --json, one message a line.',
  options: {
    channel: { type: 'string', value: 'name', about: 'only this channel' },
    ...pageOptions,
    ...placeOptions,
  },

  async run({ flags, json }) {
    const channel = flagText(flags.channel)
    const page = pageOf(flags)
    const show = (messages: MessageEntry[]) => {
      for (const message of messages) json ? printJson(message) : print(`${letter(message)}\n`)
    }
    if (flags.follow) {
      let next: MessagesRequest = page
      return following(flags, async (connection) => {
        const { messages } = await connection.messages({ ...next, channel })
        show(messages)
        next = { ...cursorAfter(messages, next), wait_seconds: followSeconds }
      })
    }
    return connected(flags, async (connection) => {
      const answer = await connection.messages({ ...page, channel })
      if (json) printJson(answer)
      else if (answer.messages.length === 0) print('No messages')
      else show(answer.messages)
      return 0
    })
  },
}

function letter({ id, sender_name, channel, created_at, subject, body }: MessageEntry): string {
  const head = `#${id}  ${localTime(created_at)}  ${line(sender_name)} → ${line(channel)}`
  const text = plain(body).replace(/^/gm, '  ')
  return `${head}\n${line(subject)}\n${text}\n`
}
