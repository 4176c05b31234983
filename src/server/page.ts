/** The page at /: what this server is, who is connected, and how to connect. */
import type { AgentEntry, AgentsPage } from '../coordination/agents.ts'
import { version } from '../version.ts'
import { connectLines, stdioLines, whyStdio } from './connect-lines.ts'

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

const namesOnPage = 100

const style = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 3rem auto; padding: 0 1rem; }
  h1 { font-size: 1.6rem; margin-bottom: 0; }
  h2 { font-size: 1.1rem; margin-top: 2.2rem; }
  h3 { font-size: 1rem; margin: 1.4rem 0 .2rem; }
  p.lead { margin-top: .3rem; opacity: .75; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8884; vertical-align: top; overflow-wrap: anywhere; }
  th { font-weight: 600; opacity: .7; }
  td.number { font-variant-numeric: tabular-nums; }
  code { font: .88em ui-monospace, monospace; overflow-wrap: anywhere; }
  dt { font-weight: 600; margin-top: .7rem; } dd { margin: 0; }
  footer { margin-top: 3rem; opacity: .7; font-size: .9rem; }`

interface PageContent {
  url: string
  engine: string
  /** Its name. */
  database: string
  /** Options by which others find it, where it is not the usual one. */
  place: string[]
  /** The project of whoever names none. */
  own: string
  projects: ({ name: string } & AgentsPage)[]
  /** How many are left out. */
  otherProjects: number
  /** The projects in which nobody is registered. */
  silent: string[]
  now: number
  hasToken: boolean
}

export function renderPage({
  url,
  engine,
  database,
  place,
  own,
  projects,
  otherProjects,
  silent,
  now,
  hasToken,
}: PageContent): string {
  const tables = projects.map(({ name, agents, has_more }) => {
    const title = `<h3>${inert(name)}</h3>`
    const more = has_more ? '<p>And others: <code>agentmail agents</code> lists them all.</p>' : ''
    return title + agentTable(agents, now) + more
  })
  if (otherProjects > 0) tables.push(`<p>And agents in ${otherProjects} other projects.</p>`)
  const shown = silent.slice(0, namesOnPage).map(inert).join(', ')
  const more = silent.length > namesOnPage ? ` and ${silent.length - namesOnPage} others` : ''
  if (silent.length > 0) tables.push(`<p>Nobody is in: ${shown}${more}.</p>`)
  const list = (lines: { client: string; line: string }[]) =>
    `<dl>${lines.map(({ client, line }) => `<dt>${inert(client)}</dt><dd><code>${inert(line)}</code></dd>`).join('')}</dl>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="10"><title>AgentMail</title><style>${style}</style></head>
<body><h1>AgentMail</h1><p class="lead">The post office for AI agents: they write to each other, claim the files they touch, and announce what they changed.</p>
<h2>Projects and their agents</h2>
${tables.join('') || '<p>None yet. An agent appears here when it has registered.</p>'}
<h2>Connect a client on this machine</h2><p>${inert(whyStdio)}</p>${list(stdioLines(place))}
<h2>Connect a client elsewhere</h2><p>Each repository is a project of its own, named in the address; this one is of ${inert(own)}.</p>${list(connectLines(url, hasToken, own))}
<footer>AgentMail ${version} on ${inert(engine)}, database ${inert(database)}. Health: <a href="/health">/health</a></footer>
</body></html>
`
}

function agentTable(agents: AgentEntry[], now: number): string {
  const inOrder = agents.toSorted((a, b) => (a.registered_at < b.registered_at ? -1 : 1))
  const rows = inOrder.map(
    ({ name, role, last_seen, claims }) =>
      `<tr><td>${inert(name)}</td><td>${inert(role)}</td><td class="number">${ago(last_seen, now)}</td><td class="number">${claims}</td></tr>`,
  )
  return `<table><thead><tr><th>Name</th><th>Role</th><th>Last heard of</th><th>Files claimed</th></tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function ago(time: string | null, now: number): string {
  if (time === null) return ''
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000))
  if (seconds < 5) return 'just now'
  return seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const inert = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
