/** npm run test:conformance: the official scenarios that a server of tools can pass, against the coordination server, in both protocol eras. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure, root } from './ensure.mjs'

/** It needs a newer Node than we do, so npx brings one along. */
const suite = ['-p', 'node@24', '-p', '@modelcontextprotocol/conformance@0.2.0-alpha.12']

/** By revision: each scenario, and the checks in it that ask for prompts or resources, which we do not have. */
const wanted = {
  '2025-06-18': { 'server-initialize': [], ping: [], 'tools-list': [] },
  '2025-11-25': {
    'server-initialize': [],
    ping: [],
    'tools-list': [],
    'dns-rebinding-protection': [],
  },
  '2026-07-28': {
    'server-stateless': [],
    'tools-list': [],
    'server-sse-multiple-streams': [],
    'dns-rebinding-protection': [],
    'http-header-validation': [],
    caching: [
      'sep-2549-prompts-list-caching-hints',
      'sep-2549-resources-list-caching-hints',
      'sep-2549-resources-templates-list-caching-hints',
    ],
    'input-required-result-unsupported-methods': [],
    'input-required-result-validate-input': [],
  },
}

await ensure()
const folder = mkdtempSync(join(tmpdir(), 'agentmail-conformance-'))
const server = spawn(
  process.execPath,
  [
    join(root, 'dist/agentmail.cjs'),
    ...[
      'serve',
      '--json',
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--db',
      join(folder, 'agentmail.db'),
    ],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, AGENTMAIL_TOKEN: '' } },
)
process.on('exit', () => {
  server.kill()
  rmSync(folder, { recursive: true, force: true })
})
const [line] = await Promise.race([
  new Promise((resolve) =>
    server.stdout.once('data', (chunk) => resolve(String(chunk).split('\n'))),
  ),
  new Promise((resolve) => server.once('exit', () => resolve([]))),
])
if (line === undefined) fail('the server did not start: see above')
const { url } = JSON.parse(line)

const rows = Object.entries(wanted).flatMap(([revision, scenarios]) => {
  const results = resultsOf(revision)
  return Object.entries(scenarios).map(([scenario, beyond]) =>
    judge(revision, scenario, beyond, results[scenario] ?? []),
  )
})
for (const { revision, scenario, verdict, passed, failures } of rows) {
  console.log(`${verdict}  ${revision}  ${scenario.padEnd(44)}${passed} checks passed`)
  for (const { id, errorMessage } of failures) console.log(`          ${id}: ${errorMessage}`)
}
const failed = rows.filter(({ verdict }) => verdict === 'FAIL').length
console.log(`${rows.length - failed} of ${rows.length} scenarios pass.`)
process.exit(failed > 0 ? 1 : 0)

/** Runs all scenarios of a revision, and gives the checks of each. */
function resultsOf(revision) {
  const output = join(folder, revision)
  const args = ['server', '--url', `${url}/mcp`, '--suite', 'all', '--spec-version', revision]
  const { error, stderr } = spawnSync(
    'npx',
    ['-y', ...suite, 'conformance', ...args, '--output-dir', output],
    { encoding: 'utf8', shell: process.platform === 'win32' },
  )
  if (error) fail(`npx cannot be run: ${error.message}`)
  let folders = []
  try {
    folders = readdirSync(output)
  } catch {
    fail(`the conformance suite did not run; it needs the npm registry.\n${stderr}`)
  }
  return Object.fromEntries(
    folders.map((name) => [
      name.replace(/^server-|-\d{4}-\d{2}-\d{2}T[\d-]+Z$/g, ''),
      JSON.parse(readFileSync(join(output, name, 'checks.json'), 'utf8')),
    ]),
  )
}

/** Checks that want a tool made for the suite say so themselves, and do not count. */
function judge(revision, scenario, beyond, checks) {
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length
  const failures = checks.filter(
    ({ id, status, details }) =>
      status === 'FAILURE' && !beyond.includes(id) && details?.untestable !== true,
  )
  const verdict = passed > 0 && failures.length === 0 ? 'pass' : 'FAIL'
  return { revision, scenario, verdict, passed, failures }
}

function fail(words) {
  console.error(`npm run test:conformance: ${words}`)
  process.exit(1)
}
