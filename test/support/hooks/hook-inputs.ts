/** What real clients gave to their hooks, captured from them, as if it had happened in a folder of a test. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../hooks/inputs')

export interface CapturedHook {
  /** As in `claude-PreToolUse-write`. */
  name: string
  client: string
  /** As it is given to the command where the client does not say it. */
  event: string | undefined
}

export const capturedHooks: CapturedHook[] = readdirSync(folder)
  .map((file) => file.replace(/\.json$/, ''))
  .sort()
  .map((name) => ({
    name,
    client: name.split('-')[0] ?? '',
    event: /^copilot-(?!as-)(\w+)/.exec(name)?.[1],
  }))

/** The text of one, with this folder in place of the one in which it was captured. */
export const inputIn = (repository: string, name: string, session?: string): string => {
  const text = readFileSync(join(folder, `${name}.json`), 'utf8').replaceAll('/repo', repository)
  return session === undefined
    ? text
    : text.replace(/"(session_?[iI]d)": "[^"]*"/, `"$1": ${JSON.stringify(session)}`)
}

/** Before an edit of b.txt, in each client. */
export const beforeEdits: CapturedHook[] = capturedHooks.filter(({ name }) =>
  /^(claude-PreToolUse-write|codex-PreToolUse-apply_patch|gemini-BeforeTool-write_file|qwen-PreToolUse-write_file|copilot-preToolUse-create|copilot-as-claude-PreToolUse-write)$/.test(
    name,
  ),
)
