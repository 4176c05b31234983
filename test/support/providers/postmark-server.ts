/** `agentmail mcp postmark` on a fake Postmark, spoken to in lines. */
import * as z from 'zod'
import type { Env } from '../agentmail.ts'
import { LineClient } from '../mcp/line-client.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import type { FakePostmark } from './fake-postmark.ts'

const resultSchema = z.looseObject({
  isError: z.boolean(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  content: z.tuple([z.strictObject({ type: z.literal('text'), text: z.string() })]),
})

export interface Told {
  text: string
  isError: boolean
  structured: Record<string, unknown> | undefined
}

export class PostmarkServer {
  readonly client: LineClient

  private constructor(client: LineClient) {
    this.client = client
  }

  static async start(fake: FakePostmark, env: Env = {}): Promise<PostmarkServer> {
    const folder = temporaryFolder()
    const own = {
      XDG_STATE_HOME: folder,
      XDG_CONFIG_HOME: folder,
      VAULT_PATH: undefined,
      DEFAULT_FROM_ADDRESS: undefined,
      DEFAULT_MESSAGE_STREAM: undefined,
    }
    const options = { env: { ...own, ...fake.env, ...env }, args: ['mcp', 'postmark'] }
    return new PostmarkServer(await LineClient.open(options))
  }

  async call(name: string, args: object): Promise<Told> {
    const { result } = await this.client.call(name, args)
    const { content, isError, structuredContent } = resultSchema.parse(result)
    return { text: content[0].text, isError, structured: structuredContent }
  }

  /** The words of a call that fails. */
  async fault(name: string, args: object): Promise<string> {
    const { text, isError } = await this.call(name, args)
    if (!isError) throw new Error(`It did not fail: ${text}`)
    return text
  }
}
