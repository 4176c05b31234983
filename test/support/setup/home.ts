/** A home folder with files of coding clients, and setup in it, without a process. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Config } from '../../../src/config.ts'
import { applySetup, applyUndo, planUndo } from '../../../src/setup/apply.ts'
import type { ClientName, Places, Scope, Wanted } from '../../../src/setup/clients/client.ts'
import { planSetup, type SetupPlan, type SetupRequest } from '../../../src/setup/plan.ts'
import { type ClientStatus, setupStatusOf } from '../../../src/setup/status.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export type Asked = Partial<Omit<SetupRequest, 'wanted'>> & { wanted?: Partial<Wanted> }

export class SetupHome {
  readonly home = temporaryFolder()
  readonly repository = join(this.home, 'repository')
  readonly config = new Config({}, { XDG_STATE_HOME: join(this.home, 'state') })
  readonly places: Places = { home: this.home, repository: this.repository, env: {} }

  constructor() {
    mkdirSync(join(this.repository, '.git'), { recursive: true })
  }

  at(path: string): string {
    return join(this.home, path)
  }

  put(path: string, content: string | Buffer): string {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), content)
    return this.at(path)
  }

  /** Nothing where there is none. */
  read(path: string): string | undefined {
    return existsSync(this.at(path)) ? readFileSync(this.at(path), 'utf8') : undefined
  }

  json(path: string): unknown {
    return JSON.parse(this.read(path) ?? 'null')
  }

  wanted(wanted: Partial<Wanted> = {}): Wanted {
    const usual = { program: 'agentmail', scope: 'user', port: 8391, isGuardClosed: false } as const
    return { ...usual, ...wanted }
  }

  plan({ wanted, ...asked }: Asked = {}): SetupPlan {
    const usual = { clients: [], hasHooks: true, hasParagraph: false }
    const toolsets: SetupRequest['toolsets'] = ['coordination']
    const request = { ...usual, toolsets, ...asked, wanted: this.wanted(wanted) }
    return planSetup(request, this.places)
  }

  /** Gives the files that were written. */
  setUp(asked: Asked = {}): string[] {
    const plan = this.plan(asked)
    const done = applySetup(this.config, plan).map(({ file }) => file.path)
    for (const { error } of plan.refused) throw error
    return done
  }

  undo(clients: ClientName[] = [], scope?: Scope): SetupPlan {
    const plan = planUndo(this.config, { clients, scope, wanted: this.wanted() }, this.places)
    applyUndo(this.config, plan)
    return plan
  }

  status(client: ClientName, wanted: Partial<Wanted> = {}): ClientStatus {
    return setupStatusOf(client, this.places, this.wanted(wanted))
  }
}
