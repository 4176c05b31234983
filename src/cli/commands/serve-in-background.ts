/** The server that agentmail up starts: its words go to its log, and the end of its terminal is none of its business. */
import { Config } from '../../config.ts'
import { databaseOf } from '../../store/database.ts'
import type { Command } from '../command.ts'

export const command: Command = {
  usage: '',
  summary: 'Serve in the background.',

  async run() {
    const config = new Config()
    const { runServer } = await import('../../server/serve.ts')
    const { serverLog } = await import('../../server/server-record.ts')
    return runServer(config, { logFile: serverLog(config, databaseOf(config)) })
  },
}
