/** One process at a vault that does what it is told, a line of JSON each, everything at once. */
import { mkdirSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { AgentMailError } from '../../../src/errors.ts'
import { moveNote } from '../../../src/vault/move.ts'
import { type NewNote, readNote, writeNote } from '../../../src/vault/notes.ts'
import { Vault } from '../../../src/vault/vault.ts'

const [root = '', fault] = process.argv.slice(2)
const vault = new Vault(root, fault === 'no lock' ? { lock: () => true } : {})

const id = z.int()
const taskSchema = z.discriminatedUnion('task', [
  z.object({
    task: z.enum(['write', 'overwrite']),
    id,
    path: z.string(),
    frontmatter: z.record(z.string(), z.unknown()),
    body: z.string(),
  }),
  z.object({ task: z.literal('append'), id, paths: z.array(z.string()), line: z.string() }),
  z.object({ task: z.literal('move'), id, source: z.string(), destination: z.string() }),
])
type Task = z.infer<typeof taskSchema>

function perform(task: Task): Promise<object> {
  if (task.task === 'append') return append(task.paths, task.line)
  if (task.task === 'move') return moveNote(vault, task)
  return task.task === 'write' ? writeNote(vault, task) : overwrite(task)
}

/** As a program does that thinks itself alone. */
async function overwrite({ path, frontmatter, body }: NewNote): Promise<object> {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  const yaml = Object.entries(frontmatter).map(([key, value]) => `${key}: ${value}\n`)
  writeFileSync(file, `---\n${yaml.join('')}---\n${body}`)
  return {}
}

const hasCode = (error: unknown, code: string) => AgentMailError.is(error) && error.code === code

/** After so many looks in a row that found it nowhere, a note is gone. */
const maxMisses = 200

/** Adds a line to a note that is at one of these paths, however often others are faster. */
async function append(paths: string[], line: string): Promise<object> {
  let misses = 0
  for (let tries = 1; ; tries++) {
    const path = paths[tries % paths.length] ?? ''
    try {
      const { frontmatter, body, etag } = await readNote(vault, path)
      misses = 0
      await setImmediate() // so that others read the same before anybody writes
      const changed = { path, frontmatter, body: `${body}${line}\n`, if_match: etag }
      const written = await writeNote(vault, changed)
      return { from: etag, to: written.etag, tries }
    } catch (error) {
      const isElsewhere = hasCode(error, 'not_found') && ++misses < maxMisses
      if (!isElsewhere && !hasCode(error, 'conflict')) throw error
      await setImmediate()
    }
  }
}

const say = (word: object) => writeSync(1, `${JSON.stringify(word)}\n`)

for await (const line of createInterface(process.stdin)) {
  const task = taskSchema.parse(JSON.parse(line))
  perform(task).then(
    (value) => say({ id: task.id, value }),
    (error) => say({ id: task.id, code: AgentMailError.is(error) ? error.code : String(error) }),
  )
}
