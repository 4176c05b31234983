/** agentmail claims: who holds which files. */

import { ask } from '../../connection/acting.ts'
import type { Connection } from '../../connection/connection.ts'
import type { ClaimEntry } from '../../coordination/claims/held.ts'
import type { Command } from '../command.ts'
import { connected, placeOptions } from '../coordination.ts'
import { isRead, jsonLine, print, printTable } from '../output.ts'
import { projectPaths } from '../project-paths.ts'
import { localTime } from '../table.ts'

export const command: Command = {
  usage: '[<file>…]',
  summary: 'Show which files are claimed, and by whom.',
  details:
    'Of a file also the claims on folders above it; of a folder also what is claimed below it.',
  options: placeOptions,
  maxPositionals: 1000,

  run: ({ flags, positionals, json }) =>
    connected(flags, async (connection) => {
      const { files } = await projectPaths(positionals)
      let isFirst = true
      for await (const claims of pagesOf(connection, files)) {
        // Page by page one JSON text.
        if (json) print(`${isFirst ? '{"claims":[' : ','}${jsonLine(claims).slice(1, -1)}`, '')
        else if (claims.length === 0) print('No claims')
        else printTable(['FILE', 'HELD BY', 'SINCE'], claims.map(rowOf), isFirst)
        isFirst = false
        if (!isRead()) break
      }
      if (json) print(']}')
      return 0
    }),
}

/** However many there are, no more than a page of them is held. */
async function* pagesOf(connection: Connection, files: string[]): AsyncGenerator<ClaimEntry[]> {
  for (let after: string | undefined; ; ) {
    const request = files.length > 0 ? { files, after } : { after }
    const { claims, has_more } = await ask(connection, 'get_file_claims', request)
    if (claims.length === 0 && after !== undefined) return // the rest was released meanwhile
    yield claims
    after = claims.at(-1)?.file_path
    if (!has_more || after === undefined) return
  }
}

const rowOf = (claim: ClaimEntry): string[] => [
  claim.file_path,
  claim.holder_name,
  localTime(claim.claimed_at),
]
