/** agentmail doctor: look for what is wrong. */
import { Config } from '../../config.ts'
import { examine } from '../../mailbox/doctor.ts'
import { PostOffice } from '../../mailbox/post-office.ts'
import { ownView } from '../../mailbox/tmux.ts'
import type { Command } from '../command.ts'
import { print, printJson } from '../output.ts'

export const command: Command = {
  usage: '',
  summary: 'Look for damaged lines, mail that nobody will read, and names that mislead.',
  details:
    'In tmux also: windows of this session that stand outside the repository, and names that two have.\nIt changes nothing.',
  exitCodes: { 0: 'nothing was found', 1: 'there are findings' },

  async run({ json }) {
    const config = new Config()
    const office = await PostOffice.locateUnchecked(config)
    const findings = await examine(office, await ownView(config))
    if (json) printJson({ post_office: office.dir, findings })
    else {
      print(`Post office: ${office.dir}`)
      for (const { subject, problem, advice } of findings)
        print(`${subject}: ${problem}\n  ${advice}`)
      if (findings.length === 0) print('Nothing is wrong.')
    }
    return findings.length > 0 ? 1 : 0
  },
}
