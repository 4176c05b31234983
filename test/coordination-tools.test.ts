/** The nine coordination tools, as clients see them. */
import { expect, it } from 'vitest'
import { TestServer } from './support/server.ts'

it.each([
  ['http', 'legacy'],
  ['http', 'modern'],
  ['sse', 'legacy'],
] as const)('serves the official client over %s in the %s era', async (transport, era) => {
  const server = await TestServer.start()
  const client = await server.connect(transport, era)
  const { tools } = await client.listTools()
  expect(tools).toHaveLength(9)
  const { structuredContent } = await client.callTool({
    name: 'register',
    arguments: { name: 'a', role: 'b' },
  })
  expect(structuredContent).toEqual({ agent_id: expect.any(String) })
})
