/** Carries out what was planned, and undoes it. */
import type { Config } from '../config.ts'
import { AgentMailError } from '../errors.ts'
import { sha256 } from '../system/text.ts'
import {
  type ClientName,
  clientNames,
  type Places,
  type Scope,
  type Wanted,
} from './clients/client.ts'
import {
  type ConfigFile,
  missingFolders,
  removeConfigFile,
  removeFolders,
  writeConfigFile,
} from './config-file.ts'
import { ownNamesIn, saysNothing, withoutEntries } from './entries.ts'
import { exactEntries } from './exact.ts'
import { hasExactParagraph, withoutParagraph } from './paragraph.ts'
import { partsOf } from './parts.ts'
import {
  allInstructionFiles,
  change,
  chosen,
  emptyPlan,
  isChange,
  isRefused,
  type PlannedFile,
  type SetupPlan,
} from './plan.ts'
import { forgetRecord, keepSetupRecord, type SetupRecord, setupRecordOf } from './record.ts'

const modes: Record<Scope, number> = { user: 0o600, project: 0o644 }

/** File by file: one that cannot be written is told of, and the others are written. Gives those that were. */
export function applySetup(config: Config, plan: SetupPlan): PlannedFile[] {
  return carriedOut(plan, (planned) => {
    if (isRefused(plan, planned.clients)) planned.after = planned.unpermitted
    if (!isChange(planned)) return false
    const { file, after = '', scope } = planned
    const { target } = file
    const old = setupRecordOf(config, target)
    const bytes = Buffer.from(after)
    const former = file.bytes && old && isAsLeft(file, old) ? [sha256(file.bytes)] : []
    keepSetupRecord(config, target, {
      ...originOf(planned, old),
      after: [sha256(bytes), ...former],
    })
    try {
      writeConfigFile(file, bytes, modes[scope])
    } catch (error) {
      if (!old) forgetRecord(config, target)
      throw error
    }
    return true
  })
}

/** As it was before us. Where somebody has changed it since, that is as it is without us. */
function originOf(
  { file, strip }: PlannedFile,
  old: SetupRecord | undefined,
): Omit<SetupRecord, 'after'> {
  const { target, bytes } = file
  if (!old) return { before: bytes, folders: missingFolders(target) }
  if (isAsLeft(file, old) || bytes === undefined) return old
  const text = bytes.toString('utf8')
  const before = strip(text, old.before?.toString('utf8'))
  return { before: Buffer.from(before), folders: old.folders }
}

const isAsLeft = ({ bytes }: ConfigFile, { after }: SetupRecord): boolean =>
  bytes !== undefined && after.includes(sha256(bytes))

export interface UndoRequest {
  clients: ClientName[]
  /** Nothing: what is the user's, and what was written in this repository. */
  scope: Scope | undefined
  wanted: Wanted
}

/** What would be as it was. */
export function planUndo(config: Config, request: UndoRequest, places: Places): SetupPlan {
  const plan = emptyPlan()
  const named = request.clients.length > 0 ? request.clients : [...clientNames]
  const scopes: Scope[] = request.scope ? [request.scope] : ['user', 'project']
  for (const scope of places.repository === undefined
    ? scopes.filter((one) => one === 'user')
    : scopes) {
    const isOnlyRecorded = request.scope === undefined && scope === 'project'
    const add = (path: string, clients: ClientName[], { strip, stripExact, namesIn }: Ours) =>
      change(plan, { path, clients, scope, strip }, places, (text, file) => {
        const record = setupRecordOf(config, file.target)
        if (record && isAsLeft(file, record)) return record.before?.toString('utf8')
        if (file.bytes === undefined) return undefined
        if (!record && isOnlyRecorded) return text
        const rest = record ? strip(text, record.before?.toString('utf8')) : stripExact(text)
        const left = record ? [] : namesIn(rest)
        if (left.length > 0) plan.left.set(path, left)
        const isOurs = (record && record.before === undefined) || /agentmail\.json$/.test(path)
        return rest !== text && isOurs && saysNothing(rest) ? undefined : rest
      })
    for (const client of chosen(named, places)) {
      const wanted = { ...request.wanted, scope }
      for (const parts of partsOf(client, places, wanted, { toolsets: [], hasHooks: false })) {
        add(parts.path, [client.name], {
          strip: (text, before) => withoutEntries(text, parts, before),
          stripExact: (text) => withoutEntries(text, parts, undefined, exactEntries(client)),
          namesIn: (text) => ownNamesIn(text, parts),
        })
      }
    }
    if (scope === 'project') {
      for (const path of allInstructionFiles(places)) add(path, [], paragraph)
    }
  }
  return plan
}

/** How ours is taken out of a file. */
interface Ours {
  strip: PlannedFile['strip']
  /** Where no record says that we wrote it. */
  stripExact: (text: string) => string
  namesIn: (text: string) => string[]
}

const paragraph: Ours = {
  strip: withoutParagraph,
  stripExact: (text) => (hasExactParagraph(text) ? withoutParagraph(text) : text),
  namesIn: (text) => (withoutParagraph(text) === text ? [] : ['the paragraph about AgentMail']),
}

export function applyUndo(config: Config, plan: SetupPlan): PlannedFile[] {
  const made: string[] = []
  const done = carriedOut(plan, ({ file, after, scope }) => {
    if (after !== undefined) writeConfigFile(file, Buffer.from(after), modes[scope])
    else {
      removeConfigFile(file)
      made.push(...(setupRecordOf(config, file.target)?.folders ?? []))
    }
    return true
  })
  removeFolders(made)
  const refused = new Set(plan.refused.map(({ path }) => path))
  for (const { file } of plan.files) {
    if (!refused.has(file.path)) forgetRecord(config, file.target)
  }
  return done
}

/** @param work says whether there was anything to do. */
function carriedOut(plan: SetupPlan, work: (planned: PlannedFile) => boolean): PlannedFile[] {
  return plan.files.filter(isChange).filter((planned) => {
    try {
      return work(planned)
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      plan.refused.push({ path: planned.file.path, clients: planned.clients, error })
      return false
    }
  })
}
