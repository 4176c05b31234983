/** The official client on a server of a vault. */
import * as z from 'zod'
import type { Env } from '../agentmail.ts'
import { connect } from '../mcp/mcp-client.ts'
import type { Era } from '../mcp/protocol.ts'
import { ToolClient } from '../mcp/tool-client.ts'

const noteSchema = z.strictObject({
  path: z.string(),
  frontmatter: z.record(z.string(), z.unknown()),
  body: z.string(),
  etag: z.string(),
})
const listSchema = z.strictObject({
  notes: z.array(z.strictObject({ path: z.string() })),
  next_cursor: z.string().optional(),
})
const hitsSchema = z.strictObject({
  notes: z.array(z.strictObject({ path: z.string(), snippet: z.string() })),
})

/** The tools of a vault, each with the form of its answer. */
export class VaultClient extends ToolClient {
  static async open(vault: { env: Env }, era: Era | 'auto' = 'auto'): Promise<VaultClient> {
    return new VaultClient(await connect(era, { env: vault.env, args: ['mcp', 'obsidian'] }))
  }

  async read(path: string) {
    return noteSchema.parse(await this.call('read_note', { path }))
  }

  async write(path: string, frontmatter: object, body: string, if_match?: string) {
    return noteSchema.parse(
      await this.call('write_note', { path, frontmatter, body, ...(if_match ? { if_match } : {}) }),
    )
  }

  async list(directory: string, filter?: string): Promise<string[]> {
    const listed = await this.call('list_notes', { directory, ...(filter ? { filter } : {}) })
    return listSchema.parse(listed).notes.map(({ path }) => path)
  }

  async page(args: object) {
    return listSchema.parse(await this.call('list_notes', args))
  }

  async search(query: string, limit?: number) {
    const found = await this.call('search_notes', { query, ...(limit ? { limit } : {}) })
    return hitsSchema.parse(found).notes
  }
}
