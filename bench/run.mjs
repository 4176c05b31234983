/** npm run bench: how fast AgentMail is, as ratios against a baseline measured in the same run. `-- goals` or `-- stores` measures one half, `--write` keeps the tables in bench/README.md. */

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { coordinationRows } from './coordination.mjs'
import { hookRows } from './hooks.mjs'
import { mailboxRows } from './mailbox.mjs'
import { pageRows } from './page.mjs'
import { servedCommandRows } from './served-commands.mjs'
import { withServers } from './servers.mjs'
import { measureStores } from './stores.mjs'
import { vaultRows } from './vault.mjs'

// What clears up after the servers waits for the end of the process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

const machine = `Node ${process.version}, ${process.platform}-${process.arch}, ${cpus().length} cores`

/** The parts of the bench, by their places in bench/README.md. */
const parts = {
  async goals() {
    const rows = [
      ...(await mailboxRows()),
      ...(await servedCommandRows()),
      ...(await withServers(hookRows)),
      ...(await coordinationRows()),
      ...(await vaultRows()),
      ...(await withServers(pageRows)),
    ]
    return `${goalTable(rows)}\n\n${machine}.`
  },
  async stores() {
    const { columns, rows, hour, goals, versions } = await measureStores()
    const tables = [tableOf(['', ...columns], rows)]
    if (hour) tables.push(tableOf(['A busy hour on Dolt', ''], hour))
    if (goals.length > 0) tables.push(goalTable(goals))
    return [...tables, `${[machine, ...versions].join(', ')}.`].join('\n\n')
  },
}

/** Behind the point; of other units none. */
const digits = { ms: 1, KB: 1, '%': 2 }

const isWriting = process.argv.includes('--write')
const named = process.argv.slice(2).filter((word) => word !== '--write')
const unknown = named.find((name) => !Object.hasOwn(parts, name))
if (unknown) throw new Error(`There is no ${unknown}: name ${Object.keys(parts).join(' or ')}`)

for (const name of named.length > 0 ? named : Object.keys(parts)) {
  const text = await parts[name]()
  console.log(`${text}\n`)
  if (isWriting) keep(name, text)
}

/** A row must stay below its goal, or reach it where more is better; some are told by how much they are more, or held to a time. */
function goalTable(rows) {
  const cells = rows.map((row) => {
    const { id, what, value, base, baseValue, unit = 'ms' } = row
    const inUnit = (number) => `${number.toFixed(digits[unit] ?? 0)} ${unit}`.trim()
    const { told, goal, holds } = judged(row, inUnit)
    return [
      ...[id, what, inUnit(value), `${base}: ${inUnit(baseValue)}`],
      ...[told, goal, holds ? 'holds' : 'MISSED'],
    ]
  })
  return tableOf(['', 'What', 'Measured', 'Baseline', 'Ratio', 'Goal', ''], cells)
}

function judged({ value, baseValue, atMost, atLeast, moreAtMost, valueAtMost }, inUnit) {
  if (moreAtMost !== undefined) {
    const more = value - baseValue
    return { told: `+${inUnit(more)}`, goal: `≤ +${moreAtMost} ms`, holds: more <= moreAtMost }
  }
  const ratio = value / baseValue
  const told = `${ratio.toFixed(2)}×`
  if (valueAtMost !== undefined) {
    return { told, goal: `≤ ${valueAtMost} ms`, holds: value <= valueAtMost }
  }
  return atMost === undefined
    ? { told, goal: `≥ ${atLeast.toFixed(1)}×`, holds: ratio >= atLeast }
    : { told, goal: `≤ ${atMost.toFixed(1)}×`, holds: ratio <= atMost }
}

function tableOf(header, rows) {
  const lines = [header, header.map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function keep(name, text) {
  const file = join(import.meta.dirname, 'README.md')
  const place = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(\\n<!-- /${name} -->)`)
  const kept = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    kept.replace(place, (_, open, close) => `${open}${text}${close}`),
  )
}
