/** agentmail post-notices: post what waits for the person, and end. Started by whoever tells, where no server runs. */
import { Config } from '../../config.ts'
import { servedPage } from '../../connection/connect.ts'
import { foreseenName, hereAt } from '../../connection/here.ts'
import { postWaiting } from '../../notices/poster.ts'
import type { Command } from '../command.ts'

export const command: Command = {
  usage: '',
  summary: 'Post the notices that wait (AGENTMAIL_NOTIFY), and end.',

  async run() {
    const config = new Config()
    await postWaiting(config, {
      page: () => servedPage(config),
      projectOf: async (folder) => foreseenName(config, await hereAt(config, folder)),
    })
    return 0
  },
}
