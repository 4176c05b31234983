/** The person: an address that always exists. */
import type { Config } from '../config.ts'

export const personOf = (config: Config): string => config.text('person')?.trim() || 'human'
