/** agentmail doctor: looks, mends what it is told to, and tells. */
import type { Config } from '../../config.ts'
import { print, printChecks, printJson } from '../output.ts'
import { line } from '../table.ts'
import type { Checked, CheckState } from './check.ts'
import { type Examined, examineAll } from './examine.ts'
import { groups } from './groups.ts'
import { patientOf } from './patient.ts'

export async function runDoctor(
  config: Config,
  { isToFix, json }: { isToFix: boolean; json: boolean },
): Promise<number> {
  const patient = await patientOf(config)
  const { groups: examined, fixed } = await examineAll(groups, patient, isToFix)
  const found = examined.flatMap((group) => group.found)
  const of = (state: CheckState) => found.filter((one) => one.state === state)
  const [problems, warnings] = [of('problem'), of('warn')]
  if (json) {
    printJson({
      post_office: patient.office?.dir ?? null,
      checks: found.map(({ check, state, says, advice = null }) => ({
        ...{ check, state, says, advice },
      })),
      problems: problems.length,
      warnings: warnings.length,
      fixed,
      findings: problems.map(({ check, says, advice = '' }) => ({
        ...{ subject: check, problem: says, advice },
      })),
    })
  } else {
    if (patient.office) print(`Post office: ${patient.office.dir}\n\n`)
    printChecks(examined.map(wordsOf).join('\n\n'))
    print('')
    for (const words of fixed) print(`Mended: ${words}`)
    print(verdict(problems, warnings))
  }
  return problems.length > 0 ? 1 : 0
}

const marks: Record<CheckState, string> = {
  ok: 'ok',
  off: 'off',
  warn: 'warning',
  problem: 'problem',
}
const order: CheckState[] = ['problem', 'warn', 'ok', 'off']

function wordsOf({ title, found }: Examined): string {
  const sorted = found.toSorted(
    (one, other) => order.indexOf(one.state) - order.indexOf(other.state),
  )
  return [`${title}:`, ...sorted.map(lineOf)].join('\n')
}

function lineOf({ check, state, says, advice }: Checked): string {
  const first = `  ${marks[state].padEnd(9)}${line(check)}: ${line(says)}`
  return advice ? `${first}\n${' '.repeat(11)}${line(advice)}` : first
}

function verdict(problems: Checked[], warnings: Checked[]): string {
  const counted = [count(problems.length, 'problem'), count(warnings.length, 'warning')]
  const canFix = [...problems, ...warnings].some(({ fix }) => fix)
  return [
    ...(problems.length === 0 ? ['Nothing is wrong.'] : []),
    ...(counted.some(Boolean) ? [`${counted.filter(Boolean).join(', ')}.`] : []),
    ...(canFix ? ['agentmail doctor --fix mends some of it.'] : []),
  ].join(' ')
}

const count = (number: number, one: string): string | undefined =>
  number === 0 ? undefined : `${number} ${one}${number === 1 ? '' : 's'}`
