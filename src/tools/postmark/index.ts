/** The tools of the postmark toolset. Generated from the files of this folder: npm run generate. */
import sendEmail from './send-email.ts'
import sendTemplateEmail from './send-template-email.ts'

export const tools = [sendEmail, sendTemplateEmail]
