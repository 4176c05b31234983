/** TLS in front of a server that has none: with a certificate of a test's own, for the names that it wants. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { listening } from '../../listening.ts'
import { pathOf } from '../../parts.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

export interface Certificate {
  key: Buffer
  cert: Buffer
  /** What NODE_EXTRA_CA_CERTS takes. */
  path: string
}

export function certificateFor(...names: string[]): Certificate {
  const folder = temporaryFolder()
  const [key, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', `/CN=${names[0]}`]
  const also = ['-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', key, '-out', path]
  execFileSync(pathOf('openssl'), ['req', '-x509', ...kind, ...files, ...subject, ...also], {
    stdio: 'pipe',
  })
  return { key: readFileSync(key), cert: readFileSync(path), path }
}

/** Gives its port, and what clients have said to it. */
export async function tlsFront(
  port: number,
  { key, cert }: Certificate,
): Promise<{ port: number; heard: () => string }> {
  let heard = ''
  const server = createServer({ key, cert }, (client) => {
    const behind = connect(port, '127.0.0.1')
    client.on('data', (chunk) => {
      heard += chunk.toString('latin1')
    })
    client.on('error', () => behind.destroy())
    behind.on('error', () => client.destroy())
    client.pipe(behind).pipe(client)
  })
  const place = await listening(server)
  return { port: Number(place.split(':')[1]), heard: () => heard }
}
