/** Serves a store whose safeguard is off, for control runs, and says where. */

import { writeSync } from 'node:fs'
import { Config } from '../../../src/config.ts'
import { addressBookOf } from '../../../src/connection/address-book-of.ts'
import { Coordination } from '../../../src/coordination/coordination.ts'
import { HookAnswering } from '../../../src/hooks/answering.ts'
import { HttpServer } from '../../../src/server/http-server.ts'
import type { Store } from '../../../src/store/store.ts'

export async function serveStore(store: Store, instance: string): Promise<void> {
  const coordination = await Coordination.open({ store, staleMs: 120_000 })
  const { url } = await HttpServer.start({
    config: new Config(),
    book: addressBookOf(new Config(), coordination, () => false),
    hooks: new HookAnswering({ config: new Config(), coordination, hookMs: 300 }),
    coordination,
    own: { key: 'own', name: 'own' },
    database: 'a test',
    place: () => [],
    host: '127.0.0.1',
    port: 0,
    token: undefined,
    allowedHosts: [],
    requestsPerMinute: 1,
    instance,
    staleSeconds: 120,
  })
  writeSync(1, `${JSON.stringify({ url })}\n`)
}
