/** search_notes: the notes that hold all words of a query. */
import * as z from 'zod'
import { defineTool, inJson } from '../define-tool.ts'
import { limitUpTo, requiredText } from '../fields.ts'
import type { ObsidianContext } from './context.ts'

const maxCharacters = 1000
const next = 'Give the words to look for.'

export default defineTool(
  {
    name: 'search_notes',
    description:
      'Find notes by words in their path, front matter values and body, best first. Every word must occur.',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: z.object({
      query: requiredText('query', next)
        .max(maxCharacters, `query must be at most ${maxCharacters} characters`)
        .refine((query) => query.trim() !== '', `query is required\n${next}`)
        .describe('Plain words'),
      limit: limitUpTo(1000).default(20),
    }),
    output: z.object({ notes: z.array(z.object({ path: z.string(), snippet: z.string() })) }),
    run: async ({ search }: ObsidianContext, { query, limit: most }) => ({
      notes: await search.search(query, most),
    }),
  },
  inJson,
)
