/** What `agentmail setup` says of a plan, to people and to programs. */
import type { SetupClient } from '../../setup/clients/client.ts'
import { unifiedDiff } from '../../setup/diff.ts'
import {
  isChange,
  isRefused,
  type PlannedFile,
  type RefusedFile,
  type SetupPlan,
} from '../../setup/plan.ts'
import { shellWord } from '../../system/text.ts'
import { line } from '../table.ts'
import type { Setup } from './run.ts'

export const diffOf = ({ file, after }: PlannedFile): string =>
  unifiedDiff(file.path, file.bytes?.toString('utf8'), after)

export const refusalWords = ({ path, error }: RefusedFile): string =>
  `refused: ${line(path)}: ${error.text}`

export const permissionOf = (plan: SetupPlan, { name, permission }: SetupClient): string =>
  isRefused(plan, [name]) ? 'a file of it is refused, so that no permission is given' : permission

/** What is left for a person to do, each thing once. */
export function stepsOf({ plan, wanted, places }: Setup): string[] {
  const steps = plan.clients.flatMap(({ client, hasHooks, hasPlugin }) =>
    client.steps(wanted, { hooks: hasHooks || hasPlugin }),
  )
  const { server, program } = wanted
  const hasHooks = plan.clients.some((planned) => planned.hasHooks)
  if (server) {
    const url = new URL(server.url).origin
    const token = server.hasToken ? ' and AGENTMAIL_TOKEN to its token' : ''
    steps.push(`Set AGENTMAIL_SERVER to ${shellWord(url)}${token} where you start your clients.`)
    if (/\/mcp$/.test(server.url)) {
      steps.push(
        'That address is one project for all repositories: --scope project writes that of this one.',
      )
    }
  } else if (hasHooks) {
    steps.push(
      'Hooks call the server: agentmail up starts it where none runs, and some clients show an error until then.',
    )
  }
  if (/[\\/]_npx[\\/]/.test(program)) {
    steps.push(
      'npx will remove the program some day. Run this again after: npm install -g agent-post-office',
    )
  }
  const hasNotes = plan.files.some(({ after }) =>
    /"?mcp"?,\s*"(obsidian|gmail|postmark)"/.test(after ?? ''),
  )
  if (hasNotes && wanted.vault === undefined) {
    steps.push(
      'Notes and e-mail need a vault: set VAULT_PATH to your folder of notes, and run this again.',
    )
  }
  const started = plan.clients.map(({ client }) => client.title).join(', ')
  const where = wanted.scope === 'project' ? ` in ${line(places.repository ?? '')}` : ''
  if (plan.files.some(isChange))
    steps.push(`Start ${started} anew${where}: files are read at the start.`)
  return [...new Set(steps)]
}

export function setupAnswer(setup: Setup, done: PlannedFile[]) {
  const { plan, wanted, isUndo } = setup
  return {
    scope: wanted.scope,
    undo: isUndo,
    program: wanted.program,
    clients: plan.clients.map(({ client, isFound, hasHooks, hasPlugin }) => ({
      client: client.name,
      found: isFound,
      hooks: hasHooks,
      plugin: hasPlugin,
      permission: permissionOf(plan, client),
    })),
    files: plan.files.map((planned) => {
      const { file, clients, after } = planned
      const change = !isChange(planned)
        ? 'none'
        : file.bytes === undefined
          ? 'create'
          : after === undefined
            ? 'remove'
            : 'change'
      return {
        path: file.path,
        clients,
        change,
        done: done.includes(planned),
        diff: diffOf(planned),
      }
    }),
    refused: plan.refused.map(({ path, clients, error }) => ({
      path,
      clients,
      reason: error.text,
    })),
    left: [...plan.left].map(([path, entries]) => ({ path, entries })),
    steps: isUndo ? [] : stepsOf(setup),
  }
}
