/** Calls of every coordination tool, and what they leave in a project. */
import type { TestProject } from './projects.ts'

/** Arguments that each tool accepts. */
export const accepted = (agent_id: string): Record<string, Record<string, unknown>> => ({
  register: { name: 'coder-1', role: 'coder' },
  heartbeat: { agent_id },
  send_message: { agent_id, subject: 'subject', body: 'body' },
  read_messages: { agent_id },
  claim_files: { agent_id, files: ['a.ts'] },
  release_files: { agent_id, files: ['a.ts'] },
  get_file_claims: {},
  announce_change: { agent_id, file_path: 'a.ts', summary: 'summary' },
  get_changes: {},
})
export const toolNames = Object.keys(accepted(''))

/** A project with one agent, and calls of a tool with arguments that differ in these from accepted ones. */
export async function projectWithAgent(project: TestProject) {
  const agent = await project.register('coder-1')
  const argsOf = (tool: string, given: object) => ({ ...accepted(agent)[tool], ...given })
  return {
    project,
    agent,
    call: (tool: string, given: object = {}) => project.call(tool, argsOf(tool, given)),
    refusal: (tool: string, given: object) => project.refusal(tool, argsOf(tool, given)),
  }
}

/** Everything that is stored in a project; the reader has an id of its own. */
export async function contentOf(project: TestProject) {
  const reader = await project.register('reader')
  const { messages } = await project.read(reader)
  const { changes } = await project.changes()
  const { claims } = await project.claims()
  return { messages, changes, claims }
}
export const nothing = { messages: [], changes: [], claims: [] }
