/** A project that is misspelled: whoever reads in it is told on stderr, and everything else is as it was. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { ended, start } from '../support/agentmail.ts'
import { openPlace, ways } from '../support/coordination/coordination.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const warning = 'warning: there is no project "shp". Did you mean shop?\n'

const reading = [
  ...[['messages'], ['agents'], ['changes'], ['claims'], ['history'], ['search', 'words']],
  ...[
    ['sent', '--as', 'ann'],
    ['inbox', '--as', 'ann'],
  ],
]

describe.each(ways)('a project that nobody has used, with %s', (way) => {
  it('is told to whoever reads in it, with the nearest, and nothing else changes', async () => {
    const place = await openPlace(way)
    const run = (args: string[], env = {}) => place.run(args, { env, cwd: temporaryFolder() })
    expect((await run(['post', 's', 'b', '--as', 'ann', '--project', 'shop'])).stderr).toBe('')
    for (const args of reading) {
      const { stdout, stderr, exitCode } = await run([...args, '--project', 'shp'])
      expect({ args, stderr, exitCode }).toEqual({ args, stderr: warning, exitCode: 0 })
      const known = await run([...args, '--project', 'shop'])
      expect({ args, stderr: known.stderr }).toEqual({ args, stderr: '' })
      const named = await run([...args, '--json'], { AGENTMAIL_PROJECT: 'shp' })
      expect({ args, stderr: named.stderr }).toEqual({ args, stderr: warning })
      expect(() => JSON.parse(named.stdout.split('\n')[0] || '{}')).not.toThrow()
      if (args[0] === 'messages') expect(stdout).toBe('No messages\n')
    }
    expect((await run(['messages'])).stderr).toBe('') // of whoever names none, outside of all
    const begun = await run(['post', 's', 'b', '--as', 'ann', '--project', 'shp'])
    expect(begun).toMatchObject({ stderr: '', exitCode: 0 })
    expect((await run(['messages', '--project', 'shp'])).stderr).toBe('')
  })

  it('is told at once to whoever waits for what comes there', async () => {
    const place = await openPlace(way)
    await place.run(['post', 's', 'b', '--as', 'ann', '--project', 'shop'])
    const child = start(['messages', '--follow', '--project', 'shp'], {
      cwd: place.repository,
      env: place.env,
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let told = ''
    child.stderr.on('data', (chunk) => {
      told += chunk
    })
    await eventually('it is told', () => told === warning)
    child.kill('SIGTERM')
    expect((await ended(child)).stdout).toBe('')
  })
})
