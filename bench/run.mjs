/** npm run bench: how fast AgentMail is, as ratios against a baseline measured in the same run. `--write` keeps the table in bench/README.md. */

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { coordinationRows } from './coordination.mjs'
import { mailboxRows } from './mailbox.mjs'

const rows = [...(await mailboxRows()), ...(await coordinationRows())]

/** A row must stay below its goal, or reach it where more is better. */
const cells = rows.map(({ id, what, value, base, baseValue, unit = 'ms', atMost, atLeast }) => {
  const ratio = value / baseValue
  const holds = atMost === undefined ? ratio >= atLeast : ratio <= atMost
  const inUnit = (number) => `${number.toFixed(unit === 'ms' ? 1 : 0)} ${unit}`
  return [
    id,
    what,
    inUnit(value),
    `${base}: ${inUnit(baseValue)}`,
    `${ratio.toFixed(2)}×`,
    atMost === undefined ? `≥ ${atLeast.toFixed(1)}×` : `≤ ${atMost.toFixed(1)}×`,
    holds ? 'holds' : 'MISSED',
  ]
})
const header = ['', 'What', 'Measured', 'Baseline', 'Ratio', 'Goal', '']
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
