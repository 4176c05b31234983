/** The tools of the coordination toolset. Generated from the files of this folder: npm run generate. */
import announceChange from './announce-change.ts'
import claimFiles from './claim-files.ts'
import getChanges from './get-changes.ts'
import getFileClaims from './get-file-claims.ts'
import heartbeat from './heartbeat.ts'
import readMessages from './read-messages.ts'
import register from './register.ts'
import releaseFiles from './release-files.ts'
import sendMessage from './send-message.ts'

export const tools = [
  announceChange,
  claimFiles,
  getChanges,
  getFileClaims,
  heartbeat,
  readMessages,
  register,
  releaseFiles,
  sendMessage,
]
