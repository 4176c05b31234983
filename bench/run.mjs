/** npm run bench: how fast AgentMail is, as ratios against a baseline measured in the same run. `--write` keeps the table in bench/README.md. */

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { mailboxRows } from './mailbox.mjs'

const rows = [...(await mailboxRows())]

const cells = rows.map(({ id, what, base, baseMs, ms, goal }) => {
  const ratio = ms / baseMs
  const verdict = ratio <= goal ? 'holds' : 'MISSED'
  return [
    id,
    what,
    `${ms.toFixed(1)} ms`,
    `${base}: ${baseMs.toFixed(1)} ms`,
    `${ratio.toFixed(2)}×`,
    `≤ ${goal.toFixed(1)}×`,
    verdict,
  ]
})
const header = ['', 'Measured', 'Median', 'Baseline', 'Ratio', 'Goal', '']
const table = [header, header.map(() => '---'), ...cells]
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n')
const machine = `Node ${process.version}, ${process.platform}-${process.arch}, ${cpus().length} cores.`

console.log(`${table}\n\n${machine}`)

if (process.argv.includes('--write')) {
  const file = join(import.meta.dirname, 'README.md')
  const marked = /(<!-- table -->\n)[\s\S]*?(\n<!-- \/table -->)/
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text.replace(marked, (_, open, close) => `${open}${table}\n\n${machine}${close}`),
  )
}
