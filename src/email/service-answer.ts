/** What is told of a mail service that was asked whether it works; words of a service hold no secret here. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { connectionTrouble } from '../providers/connection-trouble.ts'
import { loginMs } from '../providers/mail-server.ts'
import type { ProviderName } from '../providers/provider.ts'
import { redacted } from '../system/redact.ts'

export interface ServiceState {
  service: ProviderName
  /** How it is called towards a person. */
  name: string
  /** What has decided that it is this one. */
  chosen_by: string | null
  address: string | null
  /** Host and port, or a folder; nothing where it does not do that. */
  reads_at: string | null
  sends_at: string | null
  /** Whether that works; nothing where it does not do that, or nobody has tried. */
  reads: boolean | null
  sends: boolean | null
  /** `soon`: it works, and will not for long. `none`: nobody has set one up. */
  state: 'ok' | 'soon' | 'failed' | 'none'
  /** In one sentence, what works or what is wrong. */
  says: string
  /** What is good to know of one that works. */
  note: string | null
  next: string | null
}

export type TriedService = Pick<ServiceState, 'state' | 'says'> & Partial<ServiceState>

/** How a service is asked. */
export interface ServiceQuestion {
  config: Config
  /** So long it has to answer. */
  limitMs: number
}

export interface Failed {
  state: 'failed'
  says: string
  next: string | null
}

export const checkNetwork = 'Look at the network, and whether the service is up.'

/** Less time than a login may take says little. */
const isShort = ({ limitMs }: ServiceQuestion): boolean => limitMs < loginMs

/** Of one that has not answered in time. */
export const notYet = (asking: ServiceQuestion, next: string, who = ''): Failed => ({
  state: 'failed',
  says: `${who}has not answered within ${asking.limitMs / 1000} s`,
  next: isShort(asking) ? 'agentmail mail status waits longer.' : next,
})

/** Nothing where it did not fail. */
export async function failureOf(
  asking: ServiceQuestion,
  work: () => unknown,
): Promise<Failed | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    const { isLate, next } = connectionTrouble(String(error.details?.reason ?? ''))
    if (isLate && isShort(asking)) return notYet(asking, next, 'the mail server ')
    return failed(asking.config, error)
  }
}

export const failed = (config: Config, { message, next }: AgentMailError): Failed => ({
  state: 'failed',
  says: redacted(message, config.secrets()),
  next: next ?? null,
})
