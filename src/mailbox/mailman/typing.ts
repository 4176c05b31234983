/** Types a nudge where an agent waits for input, and nowhere else: every step is looked at before the next. */
import { sleep } from '../../system/clock.ts'
import { pressEnter, screenOf, typeInto } from '../tmux.ts'
import { hasAppeared, type Screen, whyNotType } from './screen.ts'

const nudgeText = 'Check your agentmail'

/** Before Enter: pressed at once, some programs take it as a part of what was pasted. */
const pauseMs = 500
/** How long a program may take to show what is typed. */
const echoMs = 5_000
const lookEveryMs = 100

/**
 * Nothing when the nudge was typed and entered, otherwise why not. The first letter goes alone: where
 * it does not appear at the cursor, there is no prompt, and the letters behind it could be answers.
 */
export async function typeNudge(pane: string, settled: Screen): Promise<string | undefined> {
  const now = await screenOf(pane)
  if (!now) return 'its pane is gone'
  const reason = whyNotType(now, settled, nudgeText)
  if (reason) return reason
  let shown: Screen | undefined = now
  for (const end of [1, nudgeText.length]) {
    const start = end === 1 ? 0 : 1
    if (!(await typeInto(pane, nudgeText.slice(start, end), shown))) return 'its cursor has moved'
    if (end > 1) await sleep(pauseMs)
    shown = await screenWith(nudgeText.slice(0, end), pane, now)
    if (!shown) return 'what is typed does not appear there; Enter was not pressed'
  }
  return (await pressEnter(pane, shown)) ? undefined : 'its cursor has moved; Enter was not pressed'
}

/** The screen once this text has appeared on it, and nothing else. */
async function screenWith(text: string, pane: string, before: Screen): Promise<Screen | undefined> {
  const deadline = performance.now() + echoMs
  while (performance.now() < deadline) {
    const now = await screenOf(pane)
    if (!now) return undefined
    if (hasAppeared(text, before, now)) return now
    await sleep(lookEveryMs)
  }
  return undefined
}
