/** Addresses as people and agents write them; kept beside the providers, which read their own sender so. */
export { parseAddresses } from './providers/parse-addresses.ts'
