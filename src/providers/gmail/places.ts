/** Where the files of a Gmail account are, and how each is called towards those who may not see paths. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config.ts'
import { AgentMailError } from '../../errors.ts'
import { configFolder } from '../../system/places.ts'

export interface GmailPlaces {
  /** Nothing: the only account, or the one whose token GMAIL_TOKEN_PATH names. */
  account: string | undefined
  tokenPath: string
  tokenName: string
  credentialsPath: string
  credentialsName: string
  loginCommand: string
}

const accountName = /^[A-Za-z0-9@._+-]{1,100}$/
const tokenFile = /^token(?:-([A-Za-z0-9@._+-]{1,100}))?\.json$/

/** A token that is named by its path wins over the name of an account. */
export function gmailPlaces(config: Config): GmailPlaces {
  const token = config.text('gmailToken')
  const credentials = config.text('gmailCredentials')
  const account = token === undefined ? accountOf(config) : undefined
  const own = account === undefined ? 'token.json' : `token-${account}.json`
  const folder = gmailFolder(config)
  return {
    account,
    tokenPath: resolve(token ?? join(folder, own)),
    tokenName: token === undefined ? inConfig(own) : 'the file that GMAIL_TOKEN_PATH names',
    credentialsPath: resolve(credentials ?? join(folder, 'client_secret.json')),
    credentialsName:
      credentials === undefined
        ? inConfig('client_secret.json')
        : 'the file that GMAIL_CREDENTIALS_PATH names',
    loginCommand: `agentmail gmail login${account === undefined ? '' : ` --account ${account}`}`,
  }
}

/** The accounts that have a token in the config folder; an empty name is the one without a name. */
export function knownAccounts(config: Config): string[] {
  return namesIn(gmailFolder(config))
    .flatMap((name) => {
      const found = tokenFile.exec(name)
      return found ? [found[1] ?? ''] : []
    })
    .sort()
}

function accountOf(config: Config): string | undefined {
  const account = config.text('gmailAccount')
  if (account === undefined || account === '') return undefined
  if (accountName.test(account)) return account
  throw new AgentMailError(
    'invalid_request',
    'the name of a Gmail account may hold letters, digits and @ . _ + - only, 100 at most',
    'Choose another name, or use the address of the account.',
  )
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const gmailFolder = (config: Config): string => join(configFolder(config), 'gmail')
const inConfig = (name: string): string => `agentmail/gmail/${name} in your config folder`
