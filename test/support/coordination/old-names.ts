/** Agents with names that nobody may take any more, as a version stored them that took any. */
import { DatabaseSync } from '@photostructure/sqlite'

/** Gives a registered agent another name, and another role if one is given, past every check. */
export function calledOfOld(
  database: string,
  before: string,
  { name, role }: { name: string; role?: string },
): void {
  const file = new DatabaseSync(database)
  file
    .prepare('UPDATE agents SET name = ?, role = coalesce(?, role) WHERE name = ?')
    .run(name, role ?? null, before)
  file.close()
}
