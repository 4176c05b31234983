/** Reads the script of a day: a number, who, and what they do, one line each; lines that are set in are the text of a message. */

export type Act =
  | { does: 'starts'; client: string; pane: string | null; role: string }
  | { does: 'registers'; role: string }
  | { does: 'joins'; pane: string; role: string }
  | { does: 'says' | 'answers'; to: string; subject: string; body: string }
  | { does: 'writes'; to: string; text: string }
  | { does: 'claims' | 'releases' | 'edits'; files: string[] }
  | { does: 'changed'; file: string; summary: string }
  | { does: Wordless }

/** `works`: begins a turn, and reads its mail with that. `rests`: ends it. `waits`: a person is asked. */
const wordless = {
  works: 'works',
  rests: 'rests',
  waits: 'waits',
  reads: 'reads',
  leaves: 'leaves',
  'opens its mail': 'opens',
  'is told': 'is told',
  'goes silent': 'goes silent',
  'is swept': 'is swept',
} as const
type Wordless = (typeof wordless)[keyof typeof wordless]

export interface Scene {
  /** How many minutes before now; of what goes on, how many seconds it takes. */
  time: number
  who: string
  act: Act
}

export function scenesIn(script: string): Scene[] {
  const scenes: Scene[] = []
  for (const line of script.split('\n').filter((one) => one.trim() !== '')) {
    const last = scenes.at(-1)
    if (!line.startsWith('  ')) scenes.push(sceneIn(line))
    else if (last?.act.does === 'says') last.act.body += `\n${line.trim()}`
    else throw new TypeError(`nobody says this: ${line}`)
  }
  return scenes.map(withBodyAlone)
}

/** What is said below a subject does not repeat it. */
function withBodyAlone({ act, ...scene }: Scene): Scene {
  if (act.does !== 'says' || act.body === act.subject) return { ...scene, act }
  return { ...scene, act: { ...act, body: act.body.slice(act.subject.length + 1) } }
}

function sceneIn(line: string): Scene {
  const [, time, who = '', rest = ''] = /^(\d+) (\S+) (.+)$/.exec(line) ?? []
  const act = actIn(rest)
  if (act) return { time: Number(time), who, act }
  throw new TypeError(`the script cannot be read: ${line}`)
}

function actIn(text: string): Act | undefined {
  for (const [words, does] of Object.entries(wordless)) if (text === words) return { does }
  for (const [form, actOf] of forms) {
    const found = form.exec(text)
    if (found) return actOf(found[1] ?? '', found[2] ?? '', found[3] ?? '')
  }
  return undefined
}

const listed = (files: string): string[] => files.split(', ')

const forms: [RegExp, (...parts: [string, string, string]) => Act][] = [
  [
    /^starts (\w+)(?: in (%\d+))?: (.+)$/,
    (client, pane, role) => ({ does: 'starts', client, pane: pane || null, role }),
  ],
  [/^registers: (.+)$/, (role) => ({ does: 'registers', role })],
  [/^joins (%\d+): (.+)$/, (pane, role) => ({ does: 'joins', pane, role })],
  [/^to (\S+): (.+)$/, (to, subject) => ({ does: 'says', to, subject, body: subject })],
  [/^answers (\S+): (.+)$/, (to, subject) => ({ does: 'answers', to, subject, body: subject })],
  [/^writes (\S+): (.+)$/, (to, text) => ({ does: 'writes', to, text })],
  [/^claims (.+)$/, (files) => ({ does: 'claims', files: listed(files) })],
  [/^releases (.+)$/, (files) => ({ does: 'releases', files: listed(files) })],
  [/^edits (.+)$/, (files) => ({ does: 'edits', files: listed(files) })],
  [/^changed (\S+): (.+)$/, (file, summary) => ({ does: 'changed', file, summary })],
]
