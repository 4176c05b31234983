/** Words are found wherever they are, and only where they may be looked for. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { searchAll } from '../../src/person/watching/search-all.ts'
import { sightScene } from '../support/person/sight-scene.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const unending = new AbortController().signal

it('finds agents, files, drafts, messages, changes and mail, what is in two places once', async () => {
  const vault = temporaryFolder()
  mkdirSync(join(vault, 'Drafts'))
  const head = 'status: pending_approval\nto: a@example.org\nsubject: hello'
  writeFileSync(join(vault, 'Drafts/d.md'), `---\n${head}\n---\nabout the parser\n`)
  const scene = await sightScene({ VAULT_PATH: vault })
  const { register, say, project, other, mail, book, sight } = scene
  const ann = await register('Parser-Ann')
  const zoe = (await other.agents.register({ name: 'zoe', role: 'coder' })).agent_id
  await project.claims.claim({ agent_id: ann, files: ['src/parser.ts', 'src/other.ts'] })
  await say(ann, 'broadcast', 'the PARSER is done', 'news')
  await project.changes.announce({ agent_id: ann, file_path: 'a.ts', summary: 'parser faster' })
  await mail('win', 'parser by mail')
  await book.post(project, { agent_id: ann, channel: '@win', subject: 's', body: 'parser too' })
  const letter = { agent_id: zoe, channel: 'x', subject: 'parser elsewhere', body: 'b' }
  await other.messages.send(letter)
  const found = async (words: string[], of?: string) =>
    (await searchAll(sight, { project: of, words }, unending)).results.map(
      ({ kind, project: where, target }) => `${kind} ${where} ${target}`,
    )
  expect((await found(['parser'], 'p')).sort()).toEqual([
    ...['agent p Parser-Ann', 'change p a.ts', 'draft null Drafts/d.md', 'file p src/parser.ts'],
    ...['mailbox p win/mail1', 'message p 1', 'message p 2'],
  ])
  expect(await found(['parser', 'ELSEWHERE'])).toEqual(['message q 1'])
  expect(await found(['nothing like it'])).toEqual([])
})

it('gives fifty at most, the newest, and what it has when it is ended', async () => {
  const scene = await sightScene()
  const { register, say, sight } = scene
  const ann = await register('ann')
  for (let number = 0; number < 60; number++) await say(ann, 'broadcast', `word ${number}`)
  const { results } = await searchAll(sight, { words: ['word'] }, unending)
  expect(results).toHaveLength(50)
  expect(results[0]?.target).toBe('60')
  expect(await searchAll(sight, { words: ['word'] }, AbortSignal.abort())).toEqual({ results: [] })
})
