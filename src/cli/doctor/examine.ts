/** Runs the checks at once: each has its time, and none can end the others. */
import { AgentMailError } from '../../errors.ts'
import { type Check, type Checked, type Patient, problem } from './check.ts'

/** For a mail service, or a database on the other side of the world. */
const checkMs = 5_000

export interface Group {
  title: string
  checks: Check[]
}

export interface Examined {
  title: string
  found: Checked[]
}

/** @param isToFix what is safe is mended, and looked at again. */
export async function examineAll(
  groups: Group[],
  patient: Patient,
  isToFix: boolean,
): Promise<{ groups: Examined[]; fixed: string[] }> {
  const fixed: string[] = []
  const examined = await Promise.all(
    groups.map(async ({ title, checks }) => {
      const looked = checks.map(async (check) => {
        const found = await looking(check, patient)
        const isMended = isToFix && mend(found, fixed)
        return isMended ? looking(check, patient) : found
      })
      return { title, found: (await Promise.all(looked)).flat() }
    }),
  )
  return { groups: examined, fixed }
}

async function looking(
  { name, look, limitMs = checkMs }: Check,
  patient: Patient,
): Promise<Checked[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Checked[]>((resolve) => {
    const says = `could not be looked at within ${limitMs / 1000} s`
    const advice = 'Try again, and look at what it waits for.'
    timer = setTimeout(resolve, limitMs, [problem(name, says, advice)])
  })
  try {
    return await Promise.race([Promise.resolve(patient).then(look), late])
  } catch (error) {
    return [failed(name, error)]
  } finally {
    clearTimeout(timer)
  }
}

function failed(name: string, error: unknown): Checked {
  if (AgentMailError.is(error)) return problem(name, error.message, error.next ?? '')
  const why = error instanceof Error ? error.message : String(error)
  return problem(name, `could not be looked at: ${why}`, 'If this stays so, please report it.')
}

/** Whether anything was mended; what could not be is told of by the next look. */
function mend(found: Checked[], fixed: string[]): boolean {
  let isMended = false
  for (const { fix } of found) {
    try {
      fix?.run()
      if (fix) fixed.push(fix.done)
      isMended ||= fix !== undefined
    } catch {}
  }
  return isMended
}
