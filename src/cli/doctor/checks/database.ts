/** The database of coordination, the project of this folder, and what an older version has left. */
import { hereOf, saidProject } from '../../../connection/here.ts'
import { findOldDatabase } from '../../../connection/old-database/old-database.ts'
import { nameAt } from '../../../coordination/projects/projects.ts'
import { AgentMailError } from '../../../errors.ts'
import { type Check, type Checked, off, ok, type Patient, problem, refused } from '../check.ts'

export const databaseCheck: Check = {
  name: 'database',
  async look(patient) {
    const database = patient.database()
    if (!database) return [off('database', 'is that of the server that AGENTMAIL_SERVER names')]
    const { name } = database
    try {
      const { state, engine, schema, problems } = await patient.databaseCheck()
      if (problems.length > 0) {
        return problems.map(({ problem: says, advice }) => problem(name, says, advice))
      }
      if (state === 'missing' || state === 'empty') {
        return [off('database', `${name} is made when it is first used`)]
      }
      const age = state === 'older' ? ', which the next server brings up to date' : ''
      return [ok('database', `${name} (${engine}, schema ${schema.done} of ${schema.known}${age})`)]
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return [refused('database', error)]
    }
  },
}

export const projectCheck: Check = {
  name: 'project',
  async look(patient) {
    const { project } = saidProject(patient.config)
    if (project !== undefined) return [ok('project', project)]
    const database = patient.database()
    const isReadable = await patient.databaseCheck().then(
      ({ state }) => state === 'ready',
      () => false, // told of where the database is looked at
    )
    const view = isReadable ? await database?.view() : undefined
    if (!view) return []
    try {
      const here = await hereOf(patient.config)
      return [ok('project', 'project' in here ? here.project : await nameAt(view, here))]
    } finally {
      await view.close()
    }
  },
}

export const oldDatabaseCheck: Check = {
  name: 'old database',
  async look(patient: Patient): Promise<Checked[]> {
    const found = patient.database() && (await findOldDatabase(patient.config))
    if (!found) return []
    return [
      problem(
        found.path,
        'is a database of an older version, which nothing uses any more',
        `Remove it if nothing in it is wanted; else bring it over before: ${found.lines.join(' && ')}`,
      ),
    ]
  },
}
