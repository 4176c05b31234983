/** Servers of a test's own. */
import { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import type { AtEnd } from './at-end.ts'

/** Lets it listen until the end, on a port that the system gives it, and gives its host and port. */
export async function listening(server: Server, atEnd: AtEnd = onTestFinished): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    if (server instanceof HttpServer) server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('It does not listen')
  return `127.0.0.1:${address.port}`
}
