/** A database on a server in which somebody else has defined something: refused where it could change what agents say. */
import { describe, expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { describeWith } from '../support/parts.ts'
import { query } from '../support/store/database-servers.ts'
import { startDolt } from '../support/store/dolt.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { sharedDatabaseServer } from '../support/store/shared-database-server.ts'

describe.each([
  ['mariadbd', 'MariaDB', startMariadb],
  ['dolt', 'Dolt', startDolt],
] as const)('%s', (part, name, startServer) => {
  describeWith(part, `a database of ${name}`, () => {
    const server = sharedDatabaseServer(startServer)

    it('is refused for a trigger on our tables, not for what a team has beside them', async () => {
      const db = await server().newDatabase()
      const open = () => agentmail(['agents', '--db', db])
      expect(await open()).toMatchObject({ exitCode: 0 })
      await query(
        db,
        'CREATE TABLE notes (text VARCHAR(20))',
        'CREATE VIEW seen AS SELECT * FROM messages',
        "CREATE TRIGGER theirs BEFORE INSERT ON notes FOR EACH ROW SET NEW.text = 'x'",
      )
      expect(await open()).toMatchObject({ exitCode: 0 })
      await query(
        db,
        "CREATE TRIGGER boss BEFORE INSERT ON messages FOR EACH ROW SET NEW.sender_name = 'boss'",
      )
      for (const args of [['agents'], ['db', 'check']]) {
        const { exitCode, stderr } = await agentmail([...args, '--db', db])
        expect(exitCode).toBe(5)
        expect(stderr).toMatch(/it has a trigger "boss" that is not of AgentMail\)\nA trigger or/)
      }
    })
  })
})
