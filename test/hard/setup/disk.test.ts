/** Setup and undo on a full disk: a file that cannot be written is named and stays, and so does what is remembered of it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentmail } from '../../support/agentmail.ts'
import { canMount, smallDisk } from '../../support/full-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const people = {
  '.claude.json': '{"mine": 1}',
  '.gemini/settings.json': '{\n\t"theme": "dark" // mine\n}\n',
  '.codex/config.toml': '# mine\nmodel = "x"\n',
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()

const contentOf = (folder: string) =>
  filesIn(folder).map((file) => [file, readFileSync(file, 'utf8')])

describe.runIf(process.platform === 'linux' && canMount())('on a full disk', () => {
  it.each(['of the files', 'of the state folder', 'of both'])(
    'setup and undo refuse each file by name, and leave all as it was: %s',
    async (which) => {
      const disk = smallDisk()
      const home = which === 'of the state folder' ? temporaryFolder() : join(disk.folder, 'home')
      const state = which === 'of the files' ? temporaryFolder() : join(disk.folder, 'state')
      for (const [name, text] of Object.entries(people)) {
        mkdirSync(dirname(join(home, name)), { recursive: true })
        writeFileSync(join(home, name), text)
      }
      mkdirSync(state, { recursive: true })
      const [XDG_DATA_HOME, XDG_CACHE_HOME] = [temporaryFolder(), temporaryFolder()]
      const env = { HOME: home, XDG_STATE_HOME: state, XDG_DATA_HOME, XDG_CACHE_HOME }
      const setup = (...args: string[]) =>
        agentmail(['setup', ...args, '--yes'], { cwd: home, env })
      const all = ['claude', 'gemini', 'codex']
      const begun = contentOf(home)

      disk.fill(0)
      const first = await setup(...all)
      expect(first.exitCode).toBe(1)
      expect(first.stdout).toContain('Nothing was written.')
      for (const name of Object.keys(people)) {
        expect(first.stderr).toContain(`refused: ${join(home, name)}: `)
      }
      expect(first.stderr).toMatch(/the disk is full|free space/)
      expect(first.stderr).not.toContain('report it')
      expect(contentOf(home)).toEqual(begun)
      expect(filesIn(state)).toEqual([])

      disk.free(0)
      expect((await setup(...all)).exitCode).toBe(0)
      const written = contentOf(home)
      const remembered = filesIn(state)
      disk.fill(0)
      const more = await setup(...all, '--with', 'coordination,mailbox')
      expect(more.exitCode).toBe(1)
      expect(more.stderr).toContain(`refused: ${join(home, '.claude.json')}: `)
      expect(contentOf(home)).toEqual(written)
      expect(filesIn(state)).toEqual(remembered)
      for (const file of remembered) JSON.parse(readFileSync(file, 'utf8'))

      if (which !== 'of the state folder') {
        const undo = await setup('--undo')
        expect(undo.exitCode).toBe(1)
        expect(undo.stderr).toContain(
          `refused: ${join(home, '.claude.json')}: it cannot be written: the disk is full`,
        )
      }
      disk.free(0)
      expect((await setup('--undo')).exitCode).toBe(0)
      expect(contentOf(home)).toEqual(begun)
      expect(filesIn(state)).toEqual([])
    },
  )
})
