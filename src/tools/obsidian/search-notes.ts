/** search_notes: the notes that hold all words of a query. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import { inJson } from '../json-error.ts'
import type { ObsidianContext } from './context.ts'
import { limit } from './fields.ts'

const maxCharacters = 1000

export default defineTool(
  {
    name: 'search_notes',
    description:
      'Find notes by words in their path, front matter values and body, best first. Every word must occur.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.object({
      query: z
        .string('query is required\nGive the words to look for.')
        .refine((query) => query.trim() !== '', 'query is required\nGive the words to look for.')
        .refine(
          (query) => query.length <= maxCharacters,
          `query must be at most ${maxCharacters} characters`,
        )
        .describe('Plain words'),
      limit: limit(1000).default(20),
    }),
    output: z.object({ notes: z.array(z.object({ path: z.string(), snippet: z.string() })) }),
    run: async ({ search }: ObsidianContext, { query, limit: most }) => ({
      notes: await search.search(query, most),
    }),
  },
  inJson,
)
