/** What was left by processes that run no more, and for databases and files that are gone. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { readServerNote, removeServerNote } from '../../../connection/server-note.ts'
import { leftWakers } from '../../../mailbox/mailman/own-ways.ts'
import { pidIfRunning } from '../../../mailbox/mailman/pid-file.ts'
import { leftFolders, leftRecords, removeLeftFolder } from '../../../server/server-record.ts'
import { leftSetupRecords } from '../../../setup/record.ts'
import { logsAside } from '../../../store/database.ts'
import { removeFile } from '../../../system/files.ts'
import { removeIfFree } from '../../../system/holder.ts'
import { isAlive } from '../../../system/run-program.ts'
import { type Check, type Checked, ok, type Patient, warn } from '../check.ts'

const advice = 'It is in nobody’s way; agentmail doctor --fix removes it.'

export const leftoversCheck: Check = {
  name: 'leftovers',
  look(patient) {
    const processes = [...pidFiles(patient), ...serverNotes(patient), ...others(patient)]
    const left = [...processes, ...logs(patient)]
    return left.length > 0 ? left : [ok('leftovers', 'none of processes that have ended')]
  },
}

function pidFiles({ config, office }: Patient): Checked[] {
  const mailman = office?.pidFile
  const isLeft = mailman !== undefined && existsSync(mailman) && pidIfRunning(mailman) === undefined
  return [...leftRecords(config), ...(isLeft ? [mailman] : [])].map((path) =>
    warn(path, 'is the PID file of a process that has ended', advice, {
      done: `removed ${path}`,
      run: () => removeIfFree(path),
    }),
  )
}

function others({ config }: Patient): Checked[] {
  const left = (paths: string[], what: string, remove: (path: string) => void): Checked[] =>
    paths.map((path) =>
      warn(path, what, advice, { done: `removed ${path}`, run: () => remove(path) }),
    )
  return [
    ...left(leftWakers(config), 'is of a waker that has ended', removeIfFree),
    ...left(
      leftFolders(config),
      'is of a database that nobody has served for a month',
      removeLeftFolder,
    ),
    ...left(leftSetupRecords(config), 'is what setup noted of a file that is gone', removeFile),
  ]
}

/** They are nobody's to remove: what was acknowledged last may be in them and nowhere else. */
function logs({ database }: Patient): Checked[] {
  const path = database()?.path
  if (path === undefined || !existsSync(dirname(path))) return []
  return logsAside(path).map((aside) =>
    warn(
      aside,
      'is the end of a database that was taken from its place, and belongs to that file alone',
      `With a copy of that file, named as it is without its end from -wal on, agentmail db check --db <copy> reads both. Remove it if you do not miss anything.`,
    ),
  )
}

function serverNotes({ database }: Patient): Checked[] {
  const path = database()?.note
  const note = path === undefined ? undefined : readServerNote(path)
  if (path === undefined || note?.pid === undefined || isAlive(note.pid)) return []
  return [
    warn(path, `names a server that has ended (PID ${note.pid})`, advice, {
      done: `removed ${path}`,
      run: () => removeServerNote(path, note),
    }),
  ]
}
