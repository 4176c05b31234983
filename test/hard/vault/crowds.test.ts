/** Many processes that change the notes of one vault at once. Each promise is also tried with its safeguard off. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { etagOf } from '../../../src/vault/note-file.ts'
import { expectDamage } from '../../support/control-run.ts'
import { eventually } from '../../support/eventually.ts'
import { provenNote, provenVersion } from '../../support/orchestrator/proven-notes.ts'
import { isLong } from '../../support/parts.ts'
import { TestVault } from '../../support/vault/vault.ts'
import { type Appended, append, Crowd, damageOf } from '../../support/vault/vault-crowd.ts'
import type { Fault, VaultWorker } from '../../support/vault/vault-processes.ts'

/** Long beyond need: other tests run at the same time. */
vi.setConfig({ testTimeout: isLong ? 900_000 : 240_000 })

const sumOf = (appended: Appended[]) => appended.reduce((sum, { tries }) => sum + tries, 0)

describe('fifty callers in five processes', () => {
  async function appendAll(rounds: number, fault?: Fault) {
    const vault = new TestVault()
    vault.put('list.md', '')
    const crowd = new Crowd(vault, 5, fault)
    const appended = await crowd.all(async (worker, caller) => {
      const lines = Array.from({ length: rounds }, (_, round) => `line ${caller}-${round}`)
      const done: Appended[] = []
      for (const line of lines) done.push(await append(worker, ['list.md'], line))
      return done
    })
    console.log(`${appended.flat().length} lines added in ${sumOf(appended.flat())} tries`)
    return damageOf(vault.text('list.md'), etagOf(Buffer.alloc(0)), appended.flat())
  }

  it('change one note by its etag: every line is there once, and every version has one successor', async () => {
    expect(await appendAll(isLong ? 20 : 1)).toEqual({ wrong: [], offChain: 0 })
  })

  it('lose lines when the lock is off (control)', async () => {
    await expectDamage(async () => (await appendAll(3, 'no lock')).wrong.length)
  })
})

describe('fifty callers in five processes who make the same note', () => {
  /** Looks at the note while they write it, and counts what is not one of theirs from end to end. */
  async function makeTogether(rounds: number, task: 'write' | 'overwrite') {
    const vault = new TestVault()
    const crowd = new Crowd(vault, 5)
    let [torn, looks] = [0, 0]
    for (let round = 0; round < rounds; round++) {
      const path = `Round ${round}/note.md`
      let isDone = false
      const look = async () => {
        for (; !isDone; await sleep(1)) {
          if (!existsSync(join(vault.root, path))) continue
          looks++
          if (provenVersion(vault.text(path)) === undefined) torn++
        }
      }
      const looking = look()
      const words = await crowd.all((worker, caller) =>
        worker.do(task, { path, ...provenNote(caller.replace('-', ''), 100_000) }),
      )
      isDone = true
      await looking
      expect(words.flatMap(({ code }) => code ?? [])).toEqual([])
      if (task === 'write') expect(vault.files().length).toBe(2 * (round + 1)) // nothing is left over
    }
    return { torn, looks }
  }

  it('are all acknowledged, and the note is always one of theirs, whole', async () => {
    const { torn, looks } = await makeTogether(isLong ? 40 : 1, 'write')
    console.log(`${looks} looks`)
    expect(torn).toBe(0)
    expect(looks).toBeGreaterThan(0)
  })

  it('are seen in the midst of it when they write in place (control)', async () => {
    await expectDamage(async () => (await makeTogether(3, 'overwrite')).torn)
  })
})

describe('movers in two processes', () => {
  async function moveTogether(sources: string[], ends: string[], fault?: Fault) {
    const vault = new TestVault()
    const workers = new Crowd(vault, 2, fault).workers
    const codes: string[] = []
    for (let round = 0; round < rounds; round++) {
      for (const source of new Set(sources)) vault.put(`${source}/${round}.md`, `of ${source}`)
      const words = await Promise.all(
        workers.map((worker, index) =>
          worker.do('move', {
            source: `${sources[index]}/${round}.md`,
            destination: `${ends[index]}/${round}.md`,
          }),
        ),
      )
      codes.push(
        words
          .map(({ code }) => code ?? 'moved')
          .sort()
          .join(' '),
      )
    }
    const notes = vault.files().filter((path) => path.endsWith('.md'))
    return { codes, texts: notes.map((path) => vault.text(path)) }
  }

  const rounds = isLong ? 1_000 : 40
  const toTwo: [string[], string[]] = [
    ['From', 'From'],
    ['One', 'Two'],
  ]
  const toOne: [string[], string[]] = [
    ['A', 'B'],
    ['End', 'End'],
  ]

  it('who take one note to two places: one moves it, the other finds none', async () => {
    const { codes, texts } = await moveTogether(...toTwo)
    expect(new Set(codes)).toEqual(new Set(['moved not_found']))
    expect(texts).toEqual(Array(rounds).fill('of From'))
  })

  it('who take two notes to one place: one is refused, and both notes are there', async () => {
    const { codes, texts } = await moveTogether(...toOne)
    expect(new Set(codes)).toEqual(new Set(['conflict moved']))
    expect(texts.filter((text) => text === 'of A').length).toBe(rounds)
    expect(texts.length).toBe(2 * rounds)
  })

  it('have one note at two places when the lock is off (control)', async () => {
    await expectDamage(async () => {
      const { codes } = await moveTogether(...toTwo, 'no lock')
      return codes.filter((code) => code !== 'moved not_found').length
    })
  })

  it('lose a note when they move by renaming (control)', async () => {
    await expectDamage(async () => {
      const { texts } = await moveTogether(...toOne, 'over others')
      return 2 * rounds - texts.length
    })
  })
})

describe('writers beside movers', () => {
  async function writeBeside(lines: number, fault?: Fault) {
    const vault = new TestVault()
    const places = ['Here/note.md', 'There/note.md']
    vault.put('Here/note.md', '')
    const crowd = new Crowd(vault, 2, fault)
    let isDone = false
    let moves = 0
    const mover = async (worker: VaultWorker) => {
      for (let turn = 0; !isDone; turn++) {
        const [source, destination] = turn % 2 === 0 ? places : places.toReversed()
        const { code } = await worker.do('move', { source, destination })
        if (!code) moves++
        else expect(['not_found', 'conflict']).toContain(code)
      }
    }
    const moving = new Crowd(vault, 2, fault).workers.map(mover)
    await eventually('they move', () => moves > 0)
    moves = 0
    const appended = await crowd.all(async (worker, caller) => {
      const done: Appended[] = []
      for (let line = 0; line < lines; line++) {
        done.push(await append(worker, places, `line ${caller}-${line}`))
      }
      return done
    })
    isDone = true
    await Promise.all(moving)
    const found = vault.files().filter((path) => path.endsWith('.md'))
    const text = found.length === 1 ? vault.text(found[0] ?? '') : ''
    return { moves, found, ...damageOf(text, etagOf(Buffer.alloc(0)), appended.flat()) }
  }

  it('lose no line, and the note is at one place', async () => {
    const { moves, found, ...damage } = await writeBeside(isLong ? 20 : 2)
    console.log(`${moves} moves`)
    expect(damage).toEqual({ wrong: [], offChain: 0 })
    expect(found.length).toBe(1)
    expect(moves).toBeGreaterThan(0)
  })

  it('lose lines when the lock is off (control)', async () => {
    await expectDamage(async () => (await writeBeside(4, 'no lock')).wrong.length)
  })
})
