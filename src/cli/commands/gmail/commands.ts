/** What the subcommands of `agentmail gmail` do and print. */
import { createInterface } from 'node:readline'
import { Config, type Flags } from '../../../config.ts'
import { GmailAccount } from '../../../providers/gmail/account.ts'
import { gmailAddress } from '../../../providers/gmail/address.ts'
import { logIn } from '../../../providers/gmail/login.ts'
import { knownAccounts } from '../../../providers/gmail/places.ts'
import { type AccountState, stateOf } from '../../../providers/gmail/state.ts'
import { openInBrowser } from '../../../system/run-program.ts'
import { shellWord } from '../../../system/text.ts'
import type { Call } from '../../command.ts'
import { interruption } from '../../interruption.ts'
import { print, printError, printJson } from '../../output.ts'
import type { Subcommand } from '../../subcommands.ts'
import { line } from '../../table.ts'

export const gmailCommands: Record<string, Subcommand> = {
  login: { run: login, options: ['no-browser'] },
  status: { run: status },
  logout: { run: logout },
}

async function login({ flags, json }: Call): Promise<number> {
  const config = configOf(flags)
  const account = GmailAccount.of(config)
  const { signal, release } = interruption()
  try {
    await logIn(account, {
      show(url) {
        if (json) printJson({ url })
        else print(invitation(url))
        if (!flags['no-browser'] && hasDisplay(config)) openInBrowser(url)
      },
      say: printError,
      lines: typedLines(),
      signal,
    })
  } catch (error) {
    if (!signal.aborted) throw error
    printError('The login was broken off.')
    return 130
  } finally {
    release()
  }
  const address = await gmailAddress(account, config).catch(() => undefined)
  const { places, tokenPath } = account
  if (json) {
    const name = places.account ?? null
    printJson({ account: name, address: address ?? null, token_path: tokenPath })
  } else {
    print(address === undefined ? 'Logged in.' : `Logged in as ${line(address)}.`)
    print(`\nServe it to your agents, for example:\n\n  ${connectLine(config, account)}`)
  }
  return 0
}

async function status({ flags, json }: Call): Promise<number> {
  const config = configOf(flags)
  const isNamed = [config.text('gmailToken'), config.text('gmailAccount')].some(Boolean)
  const found = isNamed ? [] : knownAccounts(config)
  const configs = found.map((account) => new Config({ ...flags, account }))
  const states = await Promise.all((configs.length > 0 ? configs : [config]).map(stateOf))
  if (json) printJson({ accounts: states })
  else print(states.map(told).join('\n'))
  return states.every(({ state }) => state === 'ok') ? 0 : 1
}

async function logout({ flags, json }: Call): Promise<number> {
  const account = GmailAccount.of(configOf(flags))
  const { tokenPath: token_path, places } = account
  const ended = await account.end()
  const isRevoked = ended?.isRevoked ?? false
  if (json) {
    const name = places.account ?? null
    printJson({ account: name, token_path, removed: ended !== undefined, revoked: isRevoked })
  } else if (!ended) print(`There is nothing to log out of: no token at ${line(token_path)}.`)
  else {
    print(`Logged out: ${line(token_path)} is removed.`)
    if (!isRevoked) {
      print(
        'Google could not be told: see that the access has ended at https://myaccount.google.com/connections.',
      )
    }
  }
  return 0
}

function configOf(flags: Flags): Config {
  const config = new Config(flags)
  if (config.text('gmailToken') !== undefined && config.text('gmailAccount')) {
    printError('note: GMAIL_TOKEN_PATH names the token, so the name of the account is not used.')
  }
  return config
}

/** Not read before they are asked for: what comes earlier would be lost. */
async function* typedLines(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin, terminal: false })
}

const hasDisplay = (config: Config): boolean =>
  process.platform === 'darwin' ||
  config.text('display') !== undefined ||
  config.text('wayland') !== undefined

const invitation = (
  url: string,
): string => `Open this address in a browser, and allow AgentMail to use your Gmail account:

${url}

If that browser runs on another machine, it ends at an address that begins with http://127.0.0.1
and cannot be shown: copy that address and paste it here.`

function connectLine(config: Config, { places }: GmailAccount): string {
  const env = {
    VAULT_PATH: config.text('vault') ?? '/path/to/your/vault',
    AGENTMAIL_GMAIL_ACCOUNT: places.account,
    GMAIL_TOKEN_PATH: config.text('gmailToken') && places.tokenPath,
    GMAIL_CREDENTIALS_PATH: config.text('gmailCredentials') && places.credentialsPath,
  }
  const given = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : [`--env ${name}=${shellWord(value)}`],
  )
  return `claude mcp add gmail ${given.join(' ')} -- agentmail mcp gmail`
}

function told({ account, address, state, problem, next, ...places }: AccountState): string {
  const who = account ?? 'default account'
  const as = address === null ? '' : `, ${line(address)}`
  return [
    state === 'ok' ? `${who}: ok${as}` : `${who}: not usable (${state})`,
    ...[problem, next].flatMap((text) => (text === undefined ? [] : [`  ${text}`])),
    `  token:       ${line(places.token_path)}`,
    `  credentials: ${line(places.credentials_path)}`,
  ].join('\n')
}
