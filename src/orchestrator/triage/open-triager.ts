/** Who decides about mail, by the settings: a model, or else the rules in the vault. */
import type { MailTaker } from '../../addresses/mail-takers.ts'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import type { Note } from '../../vault/notes.ts'
import type { PlaceOf } from '../rules/rule-places.ts'
import { anthropic } from './anthropic.ts'
import type { Triager } from './decision.ts'
import type { Delegates } from './delegates.ts'
import { Model } from './model.ts'
import type { Maker } from './model-service.ts'
import { openai } from './openai.ts'
import { Rules } from './rules.ts'

const makers = new Map<string, Maker>([
  ['anthropic', anthropic],
  ['openai', openai],
])

interface TriagerParts {
  /** Where in Rules.md something stands. */
  places?: () => Promise<PlaceOf | undefined>
  delegates?: Delegates
}

export async function openTriager(
  config: Config,
  readRules: () => Promise<Note | undefined>,
  { places, delegates }: TriagerParts = {},
): Promise<Triager> {
  const setting = config.text('llm')?.trim()
  if (setting === undefined) return new Rules(readRules, places)
  const [, makerName = '', model = ''] = /^([^:]*):(.*)$/s.exec(setting) ?? []
  const maker = makers.get(makerName)
  if (!maker || !/^[^\s\p{C}]{1,200}$/u.test(model)) {
    throw wrong(
      'AGENTMAIL_LLM must be anthropic:<model> or openai:<model>',
      'Correct it, or leave it out to decide by the rules in Rules.md.',
    )
  }
  const apiKey = apiKeyOf(config, makerName)
  const baseUrl = baseUrlOf(config, maker)
  const ask = maker.ask({ model, apiKey, baseUrl, timeoutMs: timeoutOf(config) })
  return new Model(`${makerName}:${model}`, ask, apiKey, () => takersOf(delegates))
}

/** An address book that cannot be read keeps no mail from being decided about. */
async function takersOf(delegates: Delegates | undefined): Promise<MailTaker[] | undefined> {
  try {
    return await delegates?.takers()
  } catch (error) {
    if (AgentMailError.is(error)) return undefined
    throw error
  }
}

/** For a client that wants one where the server does not. */
const noKey = 'no-key-is-needed'

function apiKeyOf(config: Config, maker: string): string {
  const key = config.text('llmApiKey')?.trim()
  const isNeeded = maker !== 'openai' || config.text('llmBaseUrl') === undefined
  if (key === undefined && isNeeded) {
    throw wrong('there is no AGENTMAIL_LLM_API_KEY', 'Set it to the key for the model.')
  }
  if (/^[\x21-\x7e]*$/.test(key ?? '')) return key ?? noKey
  throw wrong('AGENTMAIL_LLM_API_KEY has characters in it that no key has', 'Correct it.')
}

function baseUrlOf(config: Config, maker: Maker): string {
  const text = config.text('llmBaseUrl')?.trim() ?? maker.baseUrl
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash
  if (isPlain && /^https?:$/.test(url.protocol)) {
    return maker.tidied(url.href.replace(/\/+$/, ''))
  }
  throw wrong(
    'AGENTMAIL_LLM_BASE_URL must be a plain http or https URL, without a name and password in it',
    `Correct it, or leave it out to use ${maker.baseUrl}.`,
  )
}

function timeoutOf(config: Config): number {
  try {
    return Math.ceil(config.seconds('llmTimeoutSeconds') * 1000)
  } catch (error) {
    throw AgentMailError.is(error) ? wrong(error.message, error.next) : error
  }
}

const wrong = (message: string, next: string | undefined) =>
  new AgentMailError('server_config', message, next)
