/** agentmail post-notices: post what waits for the person, and end. Started by whoever tells, where no server runs. */
import { Config } from '../../config.ts'
import { isServed } from '../../connection/connect.ts'
import { foreseenName, hereAt } from '../../connection/here.ts'
import { readServerNote } from '../../connection/server-note.ts'
import { postWaiting } from '../../notices/poster.ts'
import { databaseOf } from '../../store/database.ts'
import type { Command } from '../command.ts'

export const command: Command = {
  usage: '',
  summary: 'Post the notices that wait (AGENTMAIL_NOTIFY), and end.',

  async run() {
    const config = new Config()
    await postWaiting(config, {
      page: () => pageOf(config),
      projectOf: async (folder) => foreseenName(config, await hereAt(config, folder)),
    })
    return 0
  },
}

/** Of the server that answers for the database of this folder; empty where none does. */
async function pageOf(config: Config): Promise<string> {
  const { note, ...database } = await databaseOf(config, { create: false })
  const server = note === undefined ? undefined : readServerNote(note)
  return server && (await isServed({ note, ...database })) ? `${server.url}/` : ''
}
