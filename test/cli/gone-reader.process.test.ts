/** A reader that has gone, as in `agentmail … | head -1`: no error, and the exit code that it would have got. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { binary, plainEnv } from '../support/agentmail.ts'
import {
  openAgent,
  openPlace,
  type Place,
  type Way,
  ways,
} from '../support/coordination/coordination.ts'

const ofStreams = [
  'messages --follow',
  'changes --follow --json',
  'history',
  'history --diff 2020-01-01T00:00:00Z 2040-01-01T00:00:00Z',
]
const ofTheRest = ['help', 'send --help', 'config', 'db check', 'agents --json']
const commands = {
  'a running server': ofStreams,
  'the database itself': [...ofStreams, ...ofTheRest],
}

async function openUsed(way: Way): Promise<Place> {
  const place = await openPlace(way)
  const ann = await openAgent(place, 'ann')
  await ann.say('subject', 'body')
  await ann.call('announce_change', { file_path: 'a.ts', summary: 's' })
  return place
}

/** Runs a command once the reader of a stream has certainly gone: what it said on the other, and its exit code. */
function withoutReader({ repository, env }: Place, args: string, of = 'stdout'): string {
  const command = `'${process.execPath}' '${binary}' ${args}`
  const untilGone = `trap '' PIPE; while printf x 2>/dev/null; do sleep 0.01; done`
  const run = of === 'stdout' ? `${command} 2>&3` : `${command} 2>&1 >&3`
  const script = `{ { ${untilGone}; ${run}; echo "exit $?" >&3; } | true; } 3>&1`
  const options = { cwd: repository, env: plainEnv(env), timeout: 30_000 }
  return execFileSync('bash', ['-c', script], options).toString('utf8')
}

it.each(ways)('ends quietly, through %s', async (way) => {
  const place = await openUsed(way)
  for (const command of commands[way]) {
    expect([command, withoutReader(place, command)]).toEqual([command, 'exit 0\n'])
  }
})

it('has the exit code of what it did', async () => {
  const place = await openUsed('the database itself')
  const refused = withoutReader(place, 'messages --limit 0')
  expect(refused).toMatch(/^error: limit must be .*\nexit 1\n$/)
  expect(withoutReader(place, 'frobnicate', 'stderr')).toBe('exit 1\n')
})
