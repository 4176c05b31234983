/** Settings that are wrong end the orchestrator with exit code 2 and a sentence, before anything is touched. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Env } from '../support/agentmail.ts'
import { OrchestratorHome } from '../support/orchestrator/orchestrator-home.ts'

const wrong: [name: string, env: Env, words: string][] = [
  ['no vault is named', { VAULT_PATH: undefined }, 'VAULT_PATH'],
  ['the vault is not there', { VAULT_PATH: '/nowhere/at/all' }, '/nowhere/at/all'],
  ['the model has no maker', { AGENTMAIL_LLM: 'nonsense' }, 'AGENTMAIL_LLM'],
  ['a model has no key', { AGENTMAIL_LLM: 'anthropic:x' }, 'AGENTMAIL_LLM_API_KEY'],
  ['the poll is no number', { AGENTMAIL_POLL_SECONDS: 'often' }, 'AGENTMAIL_POLL_SECONDS'],
  ['the quiet time is negative', { AGENTMAIL_QUIET_SECONDS: '-1' }, 'AGENTMAIL_QUIET_SECONDS'],
  ['the retry is nothing', { AGENTMAIL_RETRY_SECONDS: '0' }, 'AGENTMAIL_RETRY_SECONDS'],
  ['the patience is no number', { AGENTMAIL_MCP_TIMEOUT_SECONDS: 'x' }, 'AGENTMAIL_MCP_TIMEOUT'],
  ['a quote is not closed', { GMAIL_MCP_SERVER: "node 'my server" }, 'GMAIL_MCP_SERVER'],
  ['a command is blank', { OBSIDIAN_MCP_SERVER: "''" }, 'OBSIDIAN_MCP_SERVER'],
  [
    'the mail service cannot be read',
    { AGENTMAIL_MAIL: 'postmark', AGENTMAIL_MAIL_DIR: undefined },
    'postmark',
  ],
  ['there is no such mail service', { AGENTMAIL_MAIL: 'pigeon' }, 'AGENTMAIL_MAIL'],
  ['who may be written to is no address', { AGENTMAIL_SEND_TO: 'a b' }, 'AGENTMAIL_SEND_TO'],
]

describe('the orchestrator', () => {
  let home: OrchestratorHome
  const ends: (() => void)[] = []
  beforeAll(async () => {
    home = await OrchestratorHome.make([], {}, (end) => ends.push(end))
    home.drop({ subject: 'hello' })
    return () => {
      for (const end of ends) end()
    }
  })

  it.concurrent.each(wrong)('says what to do when %s', async (_, env, words) => {
    const { exitCode, stderr, stdout } = await home.run(['orchestrate', '--once'], env)
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
    expect(stderr).toMatch(/^error: .*\n.*\n$/)
    expect(home.list('Needs_Action')).toEqual([])
  })

  it('says which query the mail service does not understand, and ends with 1', async () => {
    const asking = { AGENTMAIL_INBOX_QUERY: 'is:unraed' }
    const { exitCode, stdout } = await home.run(['orchestrate', '--once'], asking)
    expect(exitCode).toBe(1)
    expect(stdout).toContain(
      'the inbox waits: AGENTMAIL_INBOX_QUERY: local mail does not understand "is:unraed". It understands is:unread, is:read, is:starred, is:important.',
    )
    expect(home.list('Needs_Action')).toEqual([])
    expect(await home.run(['rules', 'check', '--inbox'], asking)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('AGENTMAIL_INBOX_QUERY: local mail does not understand'),
    })
  })

  it('does not begin anew over a memory that it cannot read', async () => {
    for (const text of ['{"sends": ', '{"version": 2}', '', '[]']) {
      home.put('Logs/orchestrator_state.json', text)
      const { exitCode, stderr } = await home.once()
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('orchestrator_state.json')])
      expect(home.text('Logs/orchestrator_state.json')).toBe(text)
    }
    expect(readdirSync(join(home.root, 'Needs_Action'))).toEqual([])
  })
})
