/** Finds the mail servers of an address, with autoconfig files at the addresses that are given, and prints them. */
import { findMailServers } from '../../../src/providers/imap/login/find-mail-servers.ts'

const [address = '', ...autoconfig] = process.argv.slice(2)
const found = await findMailServers(address, { autoconfig: autoconfig.map((url) => new URL(url)) })
console.log(JSON.stringify(found))
process.exit(0)
