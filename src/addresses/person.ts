/** The person: an address that always exists. */
import type { Config } from '../config.ts'

export const personOf = (config: Config): string => config.text('person')?.trim() || 'human'

/** The role in which the person's own commands register. */
export const personRole = 'person'
