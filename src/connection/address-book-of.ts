/** The address book of what this process has opened: the post offices on this machine, and the person. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AddressBook } from '../addresses/address-book.ts'
import { personOf } from '../addresses/person.ts'
import type { Config } from '../config.ts'
import type { Coordination, Project } from '../coordination/coordination.ts'
import { knownOffices } from '../mailbox/known-offices.ts'
import { PostOffice } from '../mailbox/post-office.ts'
import { tellPerson } from '../notices/tell-person.ts'
import { hereAt, keyAt } from './here.ts'

/** @param isOwn whether a project is that of the current folder. */
export function addressBookOf(
  config: Config,
  coordination: Coordination,
  isOwn: (project: string) => boolean,
): AddressBook {
  const keys = new Map<string, string>()
  /** Those of a project that were used by commands of the mailbox alone, which tell no database of them. */
  const noted = async (key: string): Promise<PostOffice[]> => {
    const found: PostOffice[] = []
    for (const { dir, folder } of knownOffices(config).filter(({ dir }) => existsSync(dir))) {
      const known = keys.get(dir) ?? (await keyOf(folder).catch(() => undefined))
      if (known !== undefined) keys.set(dir, known)
      if (known === key) found.push(new PostOffice(dir, config))
    }
    return found
  }
  const keyOf = async (folder: string) => keyAt(coordination.projects, await hereAt(config, folder))
  return new AddressBook({
    person: personOf(config),
    async officesOf({ key }: Project) {
      const roots = await coordination.projects.rootsOf(key)
      const own = isOwn(key) ? await PostOffice.locate(config).catch(() => undefined) : undefined
      const others = await noted(key)
      const officeIn = (root: string) => new PostOffice(join(root, '.agentmail'), config)
      const found = [...(own ? [own] : []), ...roots.map(officeIn), ...others]
      const byFolder = new Map(found.map((office) => [office.dir, office]))
      return [...byFolder.values()].filter((office) => office.isUsable)
    },
    async onPerson({ key }, { id, from, subject }) {
      const project = await coordination.projects.nameOf(key).catch(() => key)
      const told = { kind: 'message' as const, project, from, subject }
      await tellPerson(config, { ...told, key: `message ${key} ${id}` })
    },
  })
}
