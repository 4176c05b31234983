/** A coordination server with its safeguard off, for control runs: it never looks whether its file is still there. */
import { openSqlite } from '../../../src/store/sqlite.ts'
import { serveStore } from '../server/serve-store.ts'

const [path = ''] = process.argv.slice(2)

await serveStore(await openSqlite(path, { isCache: true }), 'heedless')
