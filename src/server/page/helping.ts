/** What the page says of the server itself: who one is, how clients are connected, and whether all is well. */
import { userInfo } from 'node:os'
import { personOf } from '../../addresses/person.ts'
import type { Boot } from '../../person/shapes.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { version } from '../../version.ts'
import type { PageParts, PageTable } from './page-call.ts'

export const helping = ({
  config,
  coordination,
  own,
  database,
  instance,
  token,
}: PageParts): PageTable => ({
  'GET ': async ({ who }): Promise<Boot> => ({
    version,
    instance,
    now: rfc3339(systemClock.now()),
    engine: coordination.engine,
    database,
    person: personOf(config),
    who,
    csrf: '',
    has_token: token !== undefined,
    has_vault: config.text('vault') !== undefined,
    own: await coordination.projects.nameOf(own.key),
    projects: (await coordination.projects.list()).map(({ messages: _, ...one }) => ({
      ...one,
      branch: null,
    })),
    cursor: '',
  }),
})

export const ownUser = (): string => userInfo().username
