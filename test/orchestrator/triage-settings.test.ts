/** Who decides about mail, by the settings and by what stands in the vault. */
import { describe, expect, it } from 'vitest'
import { Config } from '../../src/config.ts'
import { initMailVault } from '../../src/orchestrator/rules/init-mail-vault.ts'
import { openTriager } from '../../src/orchestrator/triage/open-triager.ts'
import { readNote } from '../../src/vault/notes.ts'
import { Vault } from '../../src/vault/vault.ts'
import { llmKey, sharedLlm } from '../support/orchestrator/fake-llm.ts'
import { decide, draftJson, failure, mail } from '../support/orchestrator/triage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const fake = sharedLlm()

describe('the rules of a new vault', () => {
  it('decide as they say', async () => {
    const { root } = await initMailVault(temporaryFolder())
    const rules = await openTriager(new Config({}, {}), () => readNote(new Vault(root), 'Rules.md'))
    const from = 'Joe <joe@customer.example>'
    expect(await rules.decide({ ...mail, from, subject: 'Your OPENING hours' })).toEqual({
      decision: 'draft_reply',
      reason: 'It is asked every week.',
      reply: 'Hello,\n\nwe are open from Monday to Friday, 9 to 17.\n',
    })
    expect(await rules.decide({ ...mail, from, subject: 'Invoice 5' })).toBeUndefined()
    expect(await rules.decide({ ...mail, from: 'newsletter@widgets.example' })).toMatchObject({
      decision: 'archive',
    })
    expect(await rules.decide({ ...mail, from })).toBeUndefined()
    expect(await rules.version()).toMatch(/^\w{8,}/)
  })
})

describe('the settings of a model', () => {
  const open = (env: Record<string, string>) =>
    openTriager(new Config({}, env), async () => undefined)
  const key = { AGENTMAIL_LLM_API_KEY: llmKey }

  it('leave the mail to the rules where there is none', async () => {
    expect((await open({})).name).toBe('rules')
    expect((await open({ ...key, AGENTMAIL_LLM: ' ' })).name).toBe('rules')
  })

  it('name it, colons and all', async () => {
    for (const name of ['anthropic:claude-x', 'openai:llama3:8b']) {
      const model = await open({ ...key, AGENTMAIL_LLM: name })
      expect([model.name, await model.version()]).toEqual([name, name])
    }
  })

  it.each(['', '/', '/v1', '/v1/'])(
    'may end the address of Anthropic’s API with "%s"',
    async (end) => {
      await decide(
        fake(),
        'anthropic',
        { says: draftJson },
        { AGENTMAIL_LLM_BASE_URL: `${fake().url}${end}` },
      )
      expect(fake().lastRequest).toMatchObject({
        path: '/v1/messages',
        body: { model: 'fake-model' },
      })
    },
  )

  it('need no key for a server of the chat completions elsewhere', async () => {
    const env = { AGENTMAIL_LLM_API_KEY: '', AGENTMAIL_LLM_BASE_URL: `${fake().url}/v1/` }
    const error = await failure(fake(), 'openai', { says: draftJson }, env)
    expect(error).toMatchObject({ details: { status: 401 } })
    expect(fake().lastRequest.path).toBe('/v1/chat/completions')
  })

  it.each([
    [{ AGENTMAIL_LLM: 'gpt-x' }, 'AGENTMAIL_LLM must be'],
    [{ AGENTMAIL_LLM: 'mistral:large' }, 'AGENTMAIL_LLM must be'],
    [{ AGENTMAIL_LLM: 'openai:' }, 'AGENTMAIL_LLM must be'],
    [{ AGENTMAIL_LLM: 'openai: x' }, 'AGENTMAIL_LLM must be'],
    [{ AGENTMAIL_LLM_API_KEY: '' }, 'there is no AGENTMAIL_LLM_API_KEY'],
    [
      {
        AGENTMAIL_LLM: 'anthropic:x',
        AGENTMAIL_LLM_API_KEY: '',
        AGENTMAIL_LLM_BASE_URL: 'http://x',
      },
      'there is no',
    ],
    [{ AGENTMAIL_LLM_API_KEY: 'sk-\u00e4\u200b' }, 'AGENTMAIL_LLM_API_KEY has characters'],
    [{ AGENTMAIL_LLM_BASE_URL: 'localhost:11434' }, 'AGENTMAIL_LLM_BASE_URL must be'],
    [{ AGENTMAIL_LLM_BASE_URL: 'ftp://x/' }, 'AGENTMAIL_LLM_BASE_URL must be'],
    [{ AGENTMAIL_LLM_BASE_URL: 'https://me:sesame@x/' }, 'AGENTMAIL_LLM_BASE_URL must be'],
    [{ AGENTMAIL_LLM_BASE_URL: 'https://x/?key=sesame' }, 'AGENTMAIL_LLM_BASE_URL must be'],
    [{ AGENTMAIL_LLM_TIMEOUT_SECONDS: '0' }, 'AGENTMAIL_LLM_TIMEOUT_SECONDS must be'],
    [{ AGENTMAIL_LLM_TIMEOUT_SECONDS: 'soon' }, 'AGENTMAIL_LLM_TIMEOUT_SECONDS must be'],
  ])('are refused as %j', async (env, message) => {
    const error = await open({ ...key, AGENTMAIL_LLM: 'openai:gpt-x', ...env }).catch(
      (error) => error,
    )
    expect(error).toMatchObject({ code: 'server_config', exitCode: 2 })
    expect(error.message).toContain(message)
    expect(error.text).not.toContain('sesame')
  })
})
