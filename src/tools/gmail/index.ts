/** The tools of the gmail toolset. Generated from the files of this folder: npm run generate. */
import addLabel from './add-label.ts'
import getEmail from './get-email.ts'
import listEmails from './list-emails.ts'
import moveEmail from './move-email.ts'
import sendEmail from './send-email.ts'

export const tools = [addLabel, getEmail, listEmails, moveEmail, sendEmail]
