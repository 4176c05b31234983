/** A vault in a folder of its own, and the official client on the server of it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as z from 'zod'
import { temporaryFolder } from '../agentmail.ts'
import { connect, type Era } from '../mcp/mcp-client.ts'
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

/** A folder with a vault, a cache and a place outside. */
export class TestVault {
  readonly folder: string
  readonly root: string
  readonly outside: string
  readonly env: { VAULT_PATH: string; XDG_CACHE_HOME: string }

  constructor(folder = temporaryFolder()) {
    this.folder = folder
    this.root = join(folder, 'vault')
    this.outside = join(folder, 'outside')
    this.env = { VAULT_PATH: this.root, XDG_CACHE_HOME: join(folder, 'cache') }
    mkdirSync(this.root)
    mkdirSync(this.outside)
  }

  put(path: string, text: string | Buffer): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }

  text(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  /** Every file below the vault, also those that are no notes. */
  files(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: 'utf8' }).sort()
  }

  async client(era: Era | 'auto' = 'auto'): Promise<VaultClient> {
    return new VaultClient(await connect(era, { env: this.env, args: ['mcp', 'obsidian'] }))
  }
}

/** The tools of a vault, each with the form of its answer. */
export class VaultClient extends ToolClient {
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
