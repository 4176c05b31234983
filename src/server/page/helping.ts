/** What the page says of the server itself: who one is, how clients are connected, and whether all is well. */
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { personOf } from '../../addresses/person.ts'
import type { OwnProject } from '../../connection/open-coordination.ts'
import { checked } from '../../connection/queries.ts'
import type { Coordination } from '../../coordination/coordination.ts'
import { noName, unknownAs } from '../../coordination/projects/project-errors.ts'
import { AgentMailError } from '../../errors.ts'
import { isProjectName } from '../../names.ts'
import { Doctor } from '../../person/doctor.ts'
import { cursorNow } from '../../person/events/cursor.ts'
import type { Boot, DoctorPage, ProjectView, SentView, SetupPage } from '../../person/shapes.ts'
import { sendTestMessage } from '../../person/test-message.ts'
import { rfc3339, systemClock } from '../../system/clock.ts'
import { currentFolder } from '../../system/post-office-folder.ts'
import { branchAt } from '../../system/repository.ts'
import { requiredLine } from '../../tools/coordination/fields.ts'
import { version } from '../../version.ts'
import { connectLines, stdioLines, whyStdio } from '../connect-lines.ts'
import { readJsonBody } from '../http-exchange.ts'
import type { PageParts, PageTable } from './page-call.ts'

/** Each is a file to be read. */
const mostBranches = 500

const nameBody = z.strictObject({ name: requiredLine('name') })
const testBody = z.strictObject({ project: z.string('project must be text').optional() })

export function helping(parts: PageParts): PageTable {
  const { config, coordination, own, database, place, token, url } = parts
  const doctor = new Doctor(config)
  return {
    'GET ': async ({ who, session }): Promise<Boot> => ({
      version,
      instance: parts.instance,
      now: rfc3339(systemClock.now()),
      engine: coordination.engine,
      database,
      person: personOf(config),
      who,
      csrf: session?.csrf ?? '',
      has_token: token !== undefined,
      has_vault: config.text('vault') !== undefined,
      own: await coordination.projects.nameOf(own.key),
      // Before what it goes on from is read.
      cursor: await cursorNow(coordination),
      projects: await projectViews(coordination),
    }),

    'POST /name': async ({ request, session }): Promise<{ who: string }> => {
      const { name } = checked(nameBody, await readJsonBody(request))
      if (!session) {
        throw new AgentMailError(
          'invalid_request',
          'there is no session whose name could be changed',
          'Who sends the token with each call sends the name as x-agentmail-name.',
        )
      }
      session.who = name.trim()
      return { who: session.who }
    },

    'GET /setup': async ({ request, query }): Promise<SetupPage> => {
      const project = await meant(parts, query.get('project') ?? '')
      return {
        stdio: stdioLines(place(url())),
        http: connectLines(originOf(parts, request), token !== undefined, project.name),
        why: whyStdio,
      }
    },

    'GET /doctor': async ({ query }): Promise<DoctorPage> => {
      const { key, name } = await meant(parts, query.get('project') ?? '')
      const [root] = await coordination.projects.rootsOf(key)
      if (root !== undefined) return doctor.look(root)
      if (key === own.key) return doctor.look(currentFolder())
      throw new AgentMailError(
        'not_found',
        `no folder of ${JSON.stringify(name)} on this machine is known`,
        'Run agentmail doctor where it is.',
      )
    },

    'POST /test': async ({ request }): Promise<SentView> => {
      const { project = '' } = checked(testBody, await readJsonBody(request))
      return sendTestMessage(parts, await meant(parts, project))
    },
  }
}

async function projectViews({ projects }: Coordination): Promise<ProjectView[]> {
  return (await projects.list()).map(({ messages: _, ...project }, index) => {
    const [root] = project.roots
    return { ...project, branch: root && index < mostBranches ? branchAt(root) : null }
  })
}

/** The project of that name; the own one where none is named. */
async function meant({ coordination, own }: PageParts, name: string): Promise<OwnProject> {
  const { projects } = coordination
  if (name === '') return { key: own.key, name: await projects.nameOf(own.key) }
  if (!isProjectName(name)) throw noName(name)
  const key = await projects.keyOf(name)
  const unknown = key === own.key ? undefined : await unknownAs(projects, name)
  if (unknown !== undefined) throw new AgentMailError('not_found', unknown)
  return { key, name: await projects.nameOf(key) }
}

/** As the browser reached it: what the guards let in is a name of this server. */
function originOf({ isByHttps, url }: PageParts, request: IncomingMessage): string {
  const { host } = request.headers
  return host === undefined ? url() : `${isByHttps(request) ? 'https' : 'http'}://${host}`
}
