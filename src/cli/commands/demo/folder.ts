/** The folder of the demo, with a vault and mails in it, and the settings to work there. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Config } from '../../../config.ts'
import { AgentMailError } from '../../../errors.ts'
import { initMailVault } from '../../../orchestrator/rules/init-mail-vault.ts'
import { settings } from '../../../settings.ts'
import { systemClock } from '../../../system/clock.ts'
import { line } from '../../table.ts'
import { type DemoMail, demoInbox, demoRules } from './mails.ts'

/** What comes in beside the three mails, and the rules for it. */
interface More {
  mails: DemoMail[]
  rules: string
}

export async function makeDemoFolder(): Promise<string> {
  const folder = makeTemporaryFolder()
  await furnish(folder)
  return folder
}

export async function furnish(folder: string, more?: More): Promise<void> {
  for (const name of ['vault', 'mail', 'mail/inbox']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'vault/Rules.md'), demoRules(more?.rules))
  await initMailVault(join(folder, 'vault'))
  for (const [name, text] of demoInbox(systemClock.now(), more?.mails)) {
    writeFileSync(join(folder, 'mail/inbox', name), text)
  }
}

/** Nothing of the user's own settings, mail or ledger is touched. */
export function demoConfig(folder: string): Config {
  const unset = Object.values(settings).map(({ env }): [string, undefined] => [env, undefined])
  return new Config().with({
    ...Object.fromEntries(unset),
    VAULT_PATH: join(folder, 'vault'),
    AGENTMAIL_MAIL: 'local',
    AGENTMAIL_MAIL_DIR: join(folder, 'mail'),
    AGENTMAIL_MAIL_FROM: 'You <you@shop.example>',
    AGENTMAIL_DB: join(folder, 'sent-mail.db'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
    AGENTMAIL_POLL_SECONDS: '2',
  })
}

export function makeTemporaryFolder(): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), 'agentmail-demo-')))
  } catch (cause) {
    throw new AgentMailError(
      'storage',
      `no temporary folder can be made in ${line(tmpdir())}`,
      'Set TMPDIR to a folder that you may write to.',
      { cause },
    )
  }
}
