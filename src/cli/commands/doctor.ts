/** agentmail doctor: look for what is wrong, everywhere. */
import { Config } from '../../config.ts'
import type { Command } from '../command.ts'

export const command: Command = {
  usage: '[--fix]',
  summary: 'Look at everything that AgentMail needs, and say what is wrong and what to do.',
  details:
    'Node, tmux and its names, git and its guard, settings, damaged mail and mail that nobody will read,\nnames that two have, database, server, port and token, the coding clients (set up, by this version, and\nwhether what they start and call answers), mail service, vault, disk, permissions, and what ended\nprocesses have left. Each is ok, off (not there, and need not be), a warning or a problem.\nIt changes nothing; --fix closes files and folders to all but you, and removes PID files and notes of\nprocesses that have ended.\nJSON: post_office (null where there is none), checks (check, state: ok, off, warn, problem; says, advice),\nproblems and warnings (how many), fixed, findings (the problems: subject, problem, advice).',
  exitCodes: { 0: 'no problem was found; there may be warnings', 1: 'there are problems' },
  options: {
    fix: { type: 'boolean', about: 'mend what can be mended safely' },
  },
  toleratesBadSettings: true,

  async run({ flags, json }) {
    const { runDoctor } = await import('../doctor/run.ts')
    return runDoctor(new Config(), { isToFix: flags.fix === true, json })
  },
}
