/** Secrets of every kind around the orchestrator, which services, servers and models blurt out: none comes out of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { type Env, worker } from '../../support/agentmail.ts'
import { PlantedHome } from '../../support/email/planted-home.ts'
import { foreign, own, secretsIn, spellings } from '../../support/email/planted-secrets.ts'
import { httpTattler } from '../../support/email/tattlers.ts'
import { draft } from '../../support/orchestrator/clerk.ts'

/** But for the code of a login, which is not known outside of it. */
const { oauthCode: _, ...known } = own
const { modelKey } = own
const everything = [...Object.values(known), ...Object.values(foreign)].join(' ')
const model = (url: string): Env => ({
  AGENTMAIL_LLM: 'openai:x',
  AGENTMAIL_LLM_API_KEY: modelKey,
  AGENTMAIL_LLM_BASE_URL: `${url}/v1`,
  AGENTMAIL_RETRY_SECONDS: '20',
  AGENTMAIL_QUIET_SECONDS: '0',
})
const once = ['orchestrate', '--once']

/** A mail in Needs_Action/ that waits, and a draft that is approved. */
function prepare(home: PlantedHome, to = 'jane@example.com') {
  home.put(
    'Needs_Action/a.md',
    '---\nstatus: pending\nmessage_id: m1\nfrom: a@example.com\n---\nHi\n',
  )
  home.put('Approved/b.md', draft(to))
  home.put('Approved/c.md', draft(to, 'x', 'provider: postmark\n'))
  home.put('Approved/d.md', draft(to, 'x', 'provider: smtp\n'))
  home.put('Approved/e.md', '---\nmessage_id: m2\ntriage: delegate\ndelegate_to: ann\n---\nHi\n')
}

it('no secret comes out when every service tells all it knows', async () => {
  const tattler = await httpTattler(onTestFinished)
  const home = new PlantedHome(tattler.url, { ...model(tattler.url), AGENTMAIL_MAIL: 'gmail' })
  prepare(home)
  const told = (all: string) => [all, ...Object.values(foreign), ...spelled(modelKey)].join(' ')
  for (const status of [400, 200]) {
    tattler.reply = ({ all }) => ({
      status,
      body: JSON.stringify({
        error: { message: told(all), type: told(all), code: told(all) },
        message: told(all),
        Message: told(all),
        ErrorCode: 406,
        choices: [{ message: { content: status === 200 ? told(all) : null } }],
      }),
      headers: { 'retry-after': '0' },
    })
    await home.run(status === 400 ? once : [...once, '--json'])
    home.forget()
  }
  for (const args of [
    ['drafts', 'show', 'Approved/b.md'],
    ['config', '--json'],
  ])
    await home.run(args)
  const heard = secretsIn(tattler.heard.map(({ all }) => all).join('\n'))
  expect(heard).toEqual(expect.arrayContaining(['access token', 'postmark', 'model key']))
  expect(home.printed).toContain('********')
  expect(home.leaks()).toEqual([])
})

it('no secret comes out when an MCP server tells all it knows, and the key of the model is not told to it', async () => {
  const tattler = await httpTattler(onTestFinished)
  const home = new PlantedHome(tattler.url, {
    ...model(tattler.url),
    AGENTMAIL_DB: `mysql://me:${encodeURIComponent(own.dbPassword)}@127.0.0.1:1/mail`,
  })
  prepare(home)
  const [plan, seen] = [join(home.folder, 'plan.json'), join(home.folder, 'seen')]
  const command = `'${process.execPath}' '${worker('stand-in-gmail')}' '${plan}' '${seen}'`
  const faults = ['refuses', 'misfits', 'dies', undefined]
  const words = [
    everything,
    spelled(own.dbPassword).join(' '),
    [own.postmarkToken, own.smtpPassword, own.bearerToken].flatMap(spelled).join(' '),
  ]
  for (const [index, said] of words.entries()) {
    const mails = faults.map((fault, at) => ({ id: `${index} ${at}`, fault, subject: 'x' }))
    const isBroken = index % 2 === 1
    writeFileSync(plan, JSON.stringify({ mails, words: said, isBroken }))
    const servers = { GMAIL_MCP_SERVER: command, ...(isBroken && { OBSIDIAN_MCP_SERVER: command }) }
    await home.run([...once, '--json'], servers)
    home.forget()
  }
  const environment = readFileSync(seen, 'utf8')
  expect(secretsIn(environment)).toContain('postmark')
  expect(environment).toContain('AGENTMAIL_LLM_BASE_URL')
  expect(environment).not.toContain('AGENTMAIL_LLM_API_KEY')
  expect(secretsIn(environment)).not.toContain('model key')
  for (const file of [plan, seen]) writeFileSync(file, '')
  expect(home.printed).toContain('********')
  expect(home.leaks()).toEqual([])
})

it('no secret in a setting that is wrong comes out', async () => {
  const home = new PlantedHome('http://127.0.0.1:1', { AGENTMAIL_MAIL: 'local' })
  const wrong: Env[] = [
    { AGENTMAIL_LLM_BASE_URL: `https://me:${modelKey}@127.0.0.1/` },
    { AGENTMAIL_LLM_BASE_URL: `https://127.0.0.1/?key=${modelKey}` },
    { AGENTMAIL_LLM_BASE_URL: `${modelKey}` },
    { AGENTMAIL_LLM_API_KEY: `${modelKey}\n${modelKey}` },
    { AGENTMAIL_LLM: modelKey },
    { GMAIL_MCP_SERVER: `server --token '${modelKey}` },
  ]
  const ran = wrong.map((env) => home.run(once, { ...model('http://127.0.0.1:1'), ...env }))
  expect((await Promise.all(ran)).map(({ exitCode }) => exitCode)).toEqual(wrong.map(() => 2))
  const missing = { GMAIL_MCP_SERVER: `/none --token ${modelKey}` }
  await home.run(once, { ...model('http://127.0.0.1:1'), ...missing })
  expect(home.leaks()).toEqual([])
})

function spelled(text: string): string[] {
  return Object.values(spellings).map((spell) => spell(text))
}
