/** Secrets of many kinds to plant, and the search for them in whatever came out, however it is spelled. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Each has a core that nothing else has, so that half of it is found too. */
const cores = new Map<string, string>()

function secret(kind: string, around: (core: string) => string): string {
  const core = `Zq${Buffer.from(kind).toString('hex').slice(0, 12)}7${kind.length}xK`
  if ([...cores.values()].includes(core)) throw new Error(`another kind has the same core: ${kind}`)
  cores.set(kind, core)
  return around(core)
}

/** What AgentMail is given and has to know. */
export const own = {
  postmarkToken: secret('postmark', (core) => `5f1c9e2a-7d34-4b8e-${core}`),
  smtpPassword: secret('smtp password', (core) => `p/w ${core}@#`),
  imapPassword: secret('imap password', (core) => `im/p ${core}@#"\\`),
  mailToken: secret('mail token', (core) => `ya29.mail${core}-AbCd_123456`),
  accessToken: secret('access token', (core) => `ya29.a0${core}-AbCd_12345678901234`),
  refreshToken: secret('refresh token', (core) => `1//0g${core}-AbCd_12345678901234`),
  idToken: secret('id token', (core) => `eyJhbGciOiJSUzI1NiJ9.${core}.c2lnbmF0dXJl`),
  clientSecret: secret('client secret', (core) => `GOCSPX-${core}`),
  oauthCode: secret('oauth code', (core) => `4/0A${core}`),
  bearerToken: secret('agentmail token', (core) => core),
  dbPassword: secret('db password', (core) => `db/${core}`),
  modelKey: secret('model key', (core) => `sk-model-${core}`),
}

/** What a service might blurt out besides, and what is in the environment of any developer. */
export const foreign: Record<string, string> = {
  bearer: secret('bearer', (core) => `Authorization: Bearer ${core}`),
  basic: secret('basic', (core) => `Authorization: Basic ${core}==`),
  cookie: secret('cookie', (core) => `Cookie: theme=dark; sid=${core}`),
  setCookie: secret('set-cookie', (core) => `Set-Cookie: session=${core}; HttpOnly`),
  privateKey: secret(
    'private key',
    (core) => `-----BEGIN RSA PRIVATE KEY-----\nMIIEow${core}\n-----END RSA PRIVATE KEY-----`,
  ),
  awsId: secret('aws id', (core) => `AKIA${core.toUpperCase()}`),
  awsSecret: secret('aws secret', (core) => `aws_secret_access_key = ${core}/AbCdEfGhIjKlMnOp`),
  github: secret('github', (core) => `ghp_${core}AbCdEfGhIjKlMn`),
  githubFine: secret('fine-grained', (core) => `github_pat_${core}_AbCdEfGh`),
  gitlab: secret('gitlab', (core) => `glpat-${core}`),
  npm: secret('npm', (core) => `npm_${core}AbCdEfGhIjKl`),
  slack: secret('slack', (core) => `xoxb-123456789012-${core}`),
  openai: secret('openai', (core) => `sk-proj-${core}`),
  anthropic: secret('anthropic', (core) => `sk-ant-api03-${core}`),
  stripe: secret('stripe', (core) => `sk_live_${core}`),
  googleKey: secret('google key', (core) => `AIza${core}AbCdEfGhIjKl`),
  sendgrid: secret('sendgrid', (core) => `SG.${core}.AbCdEfGh`),
  jwt: secret('jwt', (core) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIi${core}.c2ln`),
  url: secret('password in a url', (core) => `https://admin:${core}@internal.example/`),
  field: secret('field', (core) => `"password": "${core}"`),
  query: secret('query', (core) => `https://api.example/?api_key=${core}&x=1`),
}

export const kinds = (): string[] => [...cores.keys()]

/** As it is, as code repeats it, and as it stands in the texts of services. */
export const spellings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  'upper case': (text) => text.toUpperCase(),
  'in a URL': encodeURIComponent,
  'in base64': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in JSON': (text) => JSON.stringify(JSON.stringify({ text })),
  'in HTML': (text) => `<p title="${text}">${text}</p>`,
  'in a header': (text) => `X-Postmark-Server-Token: ${text}\r\n`,
  'in a stack': (text) => `Error: ${text}\n    at Client.send (/srv/app/${text}/client.js:1:1)`,
}

const needles = [...cores].map(([kind, core]) => {
  const bytes = Buffer.from(core)
  const upper = Buffer.from(core.toUpperCase())
  const inBase64 = [bytes, upper].flatMap((text) =>
    [0, 1, 2].map((shift) => {
      const shifted = Buffer.concat([Buffer.alloc(shift), text]).toString('base64')
      return shifted.slice(shift === 0 ? 0 : shift + 1, Math.floor(((shift + text.length) * 4) / 3))
    }),
  )
  const anyCase = [core, bytes.toString('hex'), upper.toString('hex')]
  return { kind, anyCase: anyCase.map((text) => text.toLowerCase()), inBase64 }
})

/** The kinds of secrets that stand in these bytes. */
export function secretsIn(bytes: Buffer | string): string[] {
  const text = Buffer.from(bytes).toString('latin1')
  const lower = text.toLowerCase()
  return needles
    .filter(
      ({ anyCase, inBase64 }) =>
        anyCase.some((one) => lower.includes(one)) ||
        inBase64.some((one) => text.includes(one) || text.includes(one.replace(/[+]/g, '-'))),
    )
    .map(({ kind }) => kind)
}

/** Every file below the folder with a secret in it, and which. */
export function filesWithSecrets(folder: string, isExcepted: (path: string) => boolean): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !isExcepted(path) && statSync(join(folder, path)).isFile())
    .flatMap((path) => {
      const found = secretsIn(readFileSync(join(folder, path)))
      return [...found, ...secretsIn(path)].map((kind) => `${path}: ${kind}`)
    })
}
