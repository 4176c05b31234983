/** In whose name this process sends mail: the agent of its session, pane or settings, and the project that it stands in. */
import type { Config } from '../config.ts'
import { proposerOf } from '../email/drafts/proposer.ts'
import type { AskerSearch } from '../email/outgoing/own-asker.ts'
import { ifSoon } from '../system/time-limit.ts'
import { isInSession, withOwnName } from './own-name.ts'

/** A session is looked up in a database, which may be far away: a mail is not kept for it. */
const longestMs = 2000

/** Nothing more is loaded before somebody sends. */
export const sendingAgent = (config: Config): AskerSearch => ({
  agent: async () =>
    (await proposerOf(config)) ??
    (isInSession(config)
      ? ifSoon(longestMs, async () => proposerOf(await withOwnName(config)))
      : undefined),
  project: () => ifSoon(longestMs, () => projectAround(config)),
})

/** As others name it who look from here. A server elsewhere is not asked. */
async function projectAround(config: Config): Promise<string | undefined> {
  const [{ foreseenName, hereOf, saidProject }, { namedServer }, { projectNameOf }] =
    await Promise.all([
      import('./here.ts'),
      import('./remote/server-address.ts'),
      import('../coordination/projects/origin.ts'),
    ])
  const said = saidProject(config).project ?? namedServer(config)?.project
  if (said !== undefined) return said
  const here = await hereOf(config)
  if (!namedServer(config)) return foreseenName(config, here)
  return 'project' in here ? here.project : projectNameOf(here)
}
