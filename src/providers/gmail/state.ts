/** Whether a Gmail account works, found out by using it. */
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { GmailAccount } from './account.ts'
import { gmailAddress } from './address.ts'
import { checkAllowed } from './login.ts'

export interface AccountState {
  /** Nothing: the account without a name. */
  account: string | null
  address: string | null
  token_path: string
  credentials_path: string
  /** `ok`, or the reason why it is not. */
  state: string
  /** In words; on `ok`, what will be one. */
  problem?: string
  next?: string
}

export async function stateOf(config: Config): Promise<AccountState> {
  const account = GmailAccount.of(config)
  const places = {
    account: account.places.account ?? null,
    token_path: account.tokenPath,
    credentials_path: account.credentialsPath,
  }
  try {
    const address = (await gmailAddress(account, config)) ?? null
    checkAllowed(account)
    return { ...places, address, state: 'ok', ...lookAhead(account) }
  } catch (error) {
    return { ...places, address: null, state: reasonOf(error), ...wordsOf(error) }
  }
}

/** An access token lives for an hour, and then needs what it does not need now. */
function lookAhead(account: GmailAccount): { problem?: string; next?: string } {
  try {
    account.checkRenewal()
    return {}
  } catch (error) {
    const { problem, next } = wordsOf(error)
    return {
      problem: `it works until its access token ends, but: ${problem}`,
      ...(next && { next }),
    }
  }
}

function reasonOf(error: unknown): string {
  const reason = AgentMailError.is(error) ? error.details?.reason : undefined
  return typeof reason === 'string' ? reason : 'failed'
}

function wordsOf(error: unknown): { problem: string; next?: string } {
  if (!AgentMailError.is(error)) throw error
  return { problem: error.message, ...(error.next && { next: error.next }) }
}
