/** agentmail messages: what was said in the channels. */
import { isUntitled, type MessageEntry } from '../../coordination/messages.ts'
import { type Command, flagText } from '../command.ts'
import { connected, following, pageOf, pageOptions, placeOptions } from '../coordination.ts'
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
    const show = (messages: MessageEntry[]) => {
      for (const message of messages) json ? printJson(message) : print(`${letter(message)}\n`)
    }
    if (flags.follow) {
      return following(flags, async (connection, from, isFirst) => {
        const wait_seconds = isFirst ? undefined : followSeconds
        const { messages } = await connection.messages({ ...from, channel, wait_seconds })
        show(messages)
        return messages
      })
    }
    return connected(flags, async (connection) => {
      const answer = await connection.messages({ ...pageOf(flags), channel })
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
  const title = isUntitled({ subject, body }) ? '' : `${line(subject)}\n`
  return `${head}\n${title}${text}\n`
}
