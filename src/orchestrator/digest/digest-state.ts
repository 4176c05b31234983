/** What is remembered of digests over restarts: which was the last, and the one that is on its way out. */
import * as z from 'zod'
import { notFarAway } from '../../system/retry.ts'

export const digestStateSchema = z.object({
  /** The local date of the last one, whether there was anything to tell or not. */
  date: z.string().default(''),
  /** What came before this was told, in Unix milliseconds. */
  since_ms: z.number().optional(),
  /** Written down before it is sent: the same key is the same text. */
  pending: z
    .object({
      date: z.string(),
      to: z.string(),
      subject: z.string(),
      text: z.string(),
      /** Up to when it tells. */
      until_ms: z.number(),
      begun_at: z.string(),
      attempts: z.int().default(0),
      next_ms: z.number().default(0).transform(notFarAway),
      is_vague: z.boolean().default(false),
    })
    .optional(),
})

export type DigestState = z.infer<typeof digestStateSchema>
export type PendingDigest = NonNullable<DigestState['pending']>
