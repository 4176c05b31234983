/** Who may read what is kept: folders are for their owner, and so is every file with a secret in it. */
import { basename } from 'node:path'
import type { Config } from '../../../config.ts'
import { AgentMailError } from '../../../errors.ts'
import { gmailPlaces, knownAccounts } from '../../../providers/gmail/places.ts'
import { makePrivate } from '../../../system/files.ts'
import { dataFolder, stateFolder } from '../../../system/places.ts'
import { targetOf } from '../../../system/secret-file.ts'
import { type Check, type Checked, type Fix, ok, type Patient, problem, warn } from '../check.ts'

const advice = 'agentmail doctor --fix closes it to all but you.'

export const modesCheck: Check = {
  name: 'permissions',
  look(patient) {
    const open = [
      ...gmailFiles(patient.config).filter(isOpen).map(openSecret),
      ...privatePlaces(patient).filter(isOpen).map(openPlace),
    ]
    if (open.length > 0) return open
    return [ok('permissions', 'nobody else can read what is kept here')]
  },
}

const isOpen = (path: string): boolean => makePrivate(path, { isLook: true })

const openSecret = (path: string): Checked =>
  problem(path, 'others can read it, and there is a secret in it', advice, closing(path))

const openPlace = (path: string): Checked =>
  warn(path, 'others can look into it', advice, closing(path))

export const closing = (path: string): Fix => ({
  done: `closed ${path} to all but you`,
  run: () => void makePrivate(path),
})

/** What is in a closed folder needs no look. A folder that AGENTMAIL_DIR names may be full of other things. */
function privatePlaces({ config, office, database }: Patient): string[] {
  const [own = '', ...below] = office?.folders ?? []
  const offices = basename(own) === '.agentmail' ? [own, ...below] : below
  const named = config.text('db') === undefined ? undefined : pathOf(database)
  return [
    dataFolder(config),
    stateFolder(config),
    ...offices,
    ...(named === undefined ? [] : [named]),
  ]
}

function pathOf(database: Patient['database']): string | undefined {
  try {
    return database()?.path
  } catch (error) {
    if (!AgentMailError.is(error)) throw error
    return undefined // told of where the database is looked at
  }
}

/** Of settings, their own check tells. */
function gmailFiles(config: Config): string[] {
  const accounts = knownAccounts(config).map((name) =>
    name === '' ? config : config.with({ AGENTMAIL_GMAIL_ACCOUNT: name }),
  )
  const paths = [config, ...accounts].flatMap((one) => {
    try {
      const { tokenPath, credentialsPath } = gmailPlaces(one)
      return [tokenPath, credentialsPath]
    } catch (error) {
      if (!AgentMailError.is(error)) throw error
      return [] // told of where the mail service is looked at
    }
  })
  return [...new Set(paths.map((path) => targetOf(path)))] // people keep them elsewhere, by a link
}
