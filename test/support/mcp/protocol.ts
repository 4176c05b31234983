/** MCP as it stands on the wire: both protocol eras, requests, and the form of what a server says. */
import * as z from 'zod'

export const eras = ['legacy', 'modern'] as const
export type Era = (typeof eras)[number]
export const revisions: Record<Era, string> = { legacy: '2025-11-25', modern: '2026-07-28' }

const version = z.literal('2.0')
export const answerSchema = z
  .strictObject({
    jsonrpc: version,
    id: z.union([z.string(), z.int(), z.null()]),
    result: z.looseObject({}).optional(),
    error: z
      .strictObject({ code: z.int(), message: z.string(), data: z.unknown().optional() })
      .optional(),
  })
  .refine(({ result, error }) => (result === undefined) !== (error === undefined))
export const notificationSchema = z.strictObject({
  jsonrpc: version,
  method: z.string(),
  params: z.looseObject({}).optional(),
})

export type Answer = z.infer<typeof answerSchema>
export type Id = Answer['id']
export type Notification = z.infer<typeof notificationSchema>

export const meta = {
  'io.modelcontextprotocol/protocolVersion': revisions.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request as it stands on a line; in the modern era each carries its own envelope. */
export function requestLine(id: Id, method: string, params?: object, era: Era = 'legacy'): string {
  const sent = era === 'modern' ? { ...params, _meta: meta } : params
  return JSON.stringify({ jsonrpc: '2.0', id, method, ...(sent ? { params: sent } : {}) })
}
