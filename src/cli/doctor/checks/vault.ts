/** The vault: whether it is there, and can be worked in. */
import { accessSync, constants } from 'node:fs'
import { AgentMailError } from '../../../errors.ts'
import { Vault, workFolders } from '../../../vault/vault.ts'
import { type Check, off, ok, problem, refused } from '../check.ts'

export const vaultCheck: Check = {
  name: 'vault',
  look({ config }) {
    if (config.text('vault') === undefined) return [off('vault', 'VAULT_PATH is not set')]
    try {
      const vault = Vault.named(config)
      accessSync(vault.root, constants.R_OK | constants.W_OK | constants.X_OK)
      const root = vault.open()
      try {
        const names = root.entries().map(({ name }) => name)
        const missing = workFolders.filter((name) => !names.includes(name))
        const rest = missing.length > 0 ? ` (without ${missing.join(', ')})` : ''
        return [ok('vault', `${vault.root}${rest}`)]
      } finally {
        root.close()
      }
    } catch (error) {
      if (AgentMailError.is(error)) return [refused('vault', error)]
      const advice = 'Look at its owner and permissions.'
      return [problem('vault', `${config.text('vault')} may not be read and written`, advice)]
    }
  },
}
