/** Every check, in the order in which they are told. */
import { clientsCheck } from './checks/clients.ts'
import { databaseCheck, oldDatabaseCheck, projectCheck } from './checks/database.ts'
import { diskCheck } from './checks/disk.ts'
import { gitCheck, guardCheck } from './checks/git.ts'
import { leftoversCheck } from './checks/leftovers.ts'
import { mailServiceCheck } from './checks/mail-service.ts'
import { modesCheck } from './checks/modes.ts'
import { nodeCheck, programCheck } from './checks/node.ts'
import { mailCheck, mailmanCheck, namesCheck } from './checks/post-office.ts'
import { serverCheck, tokenCheck } from './checks/server.ts'
import { noticesCheck, settingsCheck } from './checks/settings.ts'
import { tmuxCheck } from './checks/tmux.ts'
import { vaultCheck } from './checks/vault.ts'
import type { Group } from './examine.ts'

export const groups: Group[] = [
  { title: 'This machine', checks: [nodeCheck, programCheck, tmuxCheck, gitCheck, settingsCheck] },
  { title: 'Agents of this repository', checks: [mailCheck, namesCheck, mailmanCheck, guardCheck] },
  {
    title: 'Coordination',
    checks: [databaseCheck, oldDatabaseCheck, projectCheck, serverCheck, tokenCheck],
  },
  { title: 'Coding clients', checks: [clientsCheck] },
  { title: 'E-mail and notes', checks: [mailServiceCheck, noticesCheck, vaultCheck] },
  { title: 'What is kept', checks: [diskCheck, modesCheck, leftoversCheck] },
]
