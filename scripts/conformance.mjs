/** npm run test:conformance: the official conformance scenarios that a server of tools can pass, against a server of ours, in both protocol eras. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure, root } from './ensure.mjs'

const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const scenarios = {
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'],
  '2026-07-28': [
    'tools-list',
    'dns-rebinding-protection',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
    'input-required-result-missing-input-response',
    'input-required-result-ignore-extra-params',
    'server-sse-multiple-streams',
  ],
}

await ensure()
const folder = mkdtempSync(join(tmpdir(), 'agentmail-conformance-'))
const args = ['serve', '--json', '--port', '0', '--db', join(folder, 'agentmail.db')]
const server = spawn(process.execPath, [join(root, 'dist/agentmail.cjs'), ...args], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let failed = 0
try {
  const { url } = JSON.parse(await firstLine(server.stdout))
  for (const [revision, names] of Object.entries(scenarios)) {
    for (const name of names) {
      const { exitCode, output } = await runScenario(`${url}/mcp`, name, revision)
      const verdict = /Passed: .*/.exec(output)?.[0] ?? 'no verdict'
      const isPassed = exitCode === 0 && / 0 failed/.test(verdict)
      console.log(`${isPassed ? 'passed' : 'FAILED'}  ${revision}  ${name}  (${verdict})`)
      if (isPassed) continue
      failed++
      console.log(output)
    }
  }
} finally {
  server.kill('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed === 0 ? 0 : 1)

/** The suite needs a newer Node than we do, so it brings its own. */
function runScenario(url, name, revision) {
  const wanted = ['--url', url, '--scenario', name, '--spec-version', revision]
  const command = ['-y', '-p', 'node@24', '-p', suite, 'conformance', 'server', ...wanted]
  return new Promise((resolve, reject) => {
    const child = spawn('npx', command, { cwd: folder, shell: process.platform === 'win32' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, output }))
  })
}

function firstLine(stream) {
  return new Promise((resolve) => {
    let text = ''
    stream.on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text.split('\n')[0])
    })
  })
}
