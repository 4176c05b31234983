/** agentmail cleanup: remove what nobody needs any more. */

import { Config } from '../../config.ts'
import { cleanup } from '../../mailbox/cleanup.ts'
import { joinOffice } from '../../mailbox/member.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { ownView } from '../../mailbox/tmux.ts'
import { systemClock } from '../../system/clock.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '[--stale-hours <n>] [--delivered-hours <n>] [--dry-run]',
  summary: 'Remove recipients that are gone, read mail that is old, and empty mailboxes.',
  details:
    'Unread mail is never removed, nor is mail without a date. Safe while agents are at work.',
  options: {
    'stale-hours': {
      type: 'string',
      value: 'n',
      about: 'forget recipients not heard of for n hours (48)',
    },
    'delivered-hours': {
      type: 'string',
      value: 'n',
      about: 'remove read messages older than n hours (2)',
    },
    'dry-run': { type: 'boolean', about: 'count only, remove nothing' },
  },

  async run({ flags, json }) {
    const config = new Config(flags)
    const dryRun = flags['dry-run'] === true
    const options = {
      staleHours: config.number('staleHours'),
      deliveredHours: config.number('deliveredHours'),
      dryRun,
      panes: (await ownView(config))?.panes,
    }
    const office = await PostOffice.locate(config)
    office.check()
    // A name of one's own registers, whatever the command.
    if (config.text('agent') !== undefined) await joinOffice(config, Promise.resolve(office))
    const { recipients, messages, mailboxes } = await cleanup(office, options, systemClock)
    if (json) {
      printJson({ recipients, messages, mailboxes, dry_run: dryRun })
      return 0
    }
    print(`Cleanup complete:${dryRun ? ' (dry run, nothing was removed)' : ''}`)
    const { offline, stale } = recipients
    print(`  Recipients removed: ${offline + stale} (${offline} offline, ${stale} stale)`)
    print(`  Messages removed: ${messages}`)
    print(`  Mailboxes removed: ${mailboxes}`)
    return 0
  },
}
