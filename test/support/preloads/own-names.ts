/** Loaded into a process by a test: every name is asked of the test's own DNS server (OWN_DNS) and of no other. */
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

dns.setServers([process.env.OWN_DNS ?? ''])

type Found = (error: Error | null, address?: unknown, family?: number) => void

function lookup(name: string, options: { all?: boolean } | Found, found?: Found): void {
  const done = typeof options === 'function' ? options : found
  const isAll = typeof options === 'object' && options.all === true
  const tell = (addresses: string[]) =>
    isAll
      ? done?.(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        )
      : done?.(null, addresses[0], 4)
  if (isIP(name) !== 0 || name === 'localhost') tell([isIP(name) === 0 ? '127.0.0.1' : name])
  else dns.resolve4(name, (error, addresses) => (error ? done?.(error) : tell(addresses)))
}
Object.assign(dns, { lookup })
syncBuiltinESMExports()
