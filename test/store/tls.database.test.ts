/** TLS to a database server: it proves who it is as far as the address asks for it. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentmail } from '../support/agentmail.ts'
import { describeWith, pathOf } from '../support/parts.ts'
import { type DatabaseServer, expectNoPassword } from '../support/store/database-servers.ts'
import { startMariadb } from '../support/store/mariadb.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** An authority, and a certificate of it for the name localhost. */
function makeCertificates(folder: string) {
  const openssl = (...args: string[]) =>
    execFileSync(pathOf('openssl'), args, { cwd: folder, stdio: 'pipe' })
  const make = ['req', '-newkey', 'rsa:2048', '-nodes']
  for (const name of ['ca', 'other']) {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`]
    openssl(...make, '-x509', '-days', '2', '-subj', `/CN=${name}`, ...files)
  }
  const san = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  openssl(...make, ...san, '-keyout', 'server.key', '-out', 'server.csr')
  const signed = ['-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial']
  openssl('x509', '-req', ...signed, '-days', '2', '-copy_extensions', 'copy', '-out', 'server.pem')
  for (const file of ['server.key', 'server.pem', 'ca.pem']) chmodSync(join(folder, file), 0o644)
}

describeWith('openssl', 'TLS', () => {
  describeWith('mariadbd', 'to a database server that wants it', () => {
    let folder: string
    let database: DatabaseServer
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'agentmail-tls-'))
      chmodSync(folder, 0o755) // for the server's user
      makeCertificates(folder)
      const files = { ca: 'ca.pem', cert: 'server.pem', key: 'server.key' }
      database = await startMariadb(
        {},
        Object.entries(files).map(([name, file]) => `--ssl-${name}=${join(folder, file)}`),
      )
    })
    afterAll(async () => {
      await database.stop()
      rmSync(folder, { recursive: true })
    })

    it.each([
      { host: '127.0.0.1', query: '', cipher: null },
      { host: '127.0.0.1', query: 'ssl-mode=required' },
      { host: '127.0.0.1', query: 'ssl-mode=verify_ca&ssl-ca=ca.pem' },
      { host: 'localhost', query: 'ssl-ca=ca.pem' },
      { host: 'localhost', query: 'ssl-mode=verify_identity&ssl-ca=ca.pem' },
    ])('is as the address asks for it: $host?$query', async ({ host, query, cipher }) => {
      const { stdout, exitCode } = await check(host, query)
      expect(exitCode).toBe(0)
      expect(JSON.parse(stdout).server.tls).toEqual(
        cipher === null ? null : { cipher: expect.stringMatching(/^(?:TLS|ECDHE)/) },
      )
    })

    it.each([
      { host: 'localhost', query: 'ssl-ca=other.pem', exitCode: 5, words: 'no safe connection' },
      { host: 'localhost', query: 'ssl-mode=verify_ca', exitCode: 5, words: 'no safe connection' },
      { host: '127.0.0.1', query: 'ssl-ca=ca.pem', exitCode: 2, words: 'name the host' },
      { host: 'localhost', query: 'ssl-mode=disabled&ssl-ca=ca.pem', exitCode: 2, words: 'no use' },
    ])('is refused in words where nothing is proved: $host?$query', async (one) => {
      const { stderr, exitCode } = await check(one.host, one.query)
      expect([exitCode, stderr]).toEqual([one.exitCode, expect.stringContaining(one.words)])
      expectNoPassword(stderr)
    })

    async function check(host: string, query: string) {
      const db = (await database.newDatabase()).replace('127.0.0.1', host)
      return agentmail(['db', 'check', '--json'], {
        cwd: temporaryFolder(),
        env: { AGENTMAIL_DB: `${db}?${query.replaceAll(/=(\w+\.pem)/g, `=${folder}/$1`)}` },
      })
    }
  })
})
