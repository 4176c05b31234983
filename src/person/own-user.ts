/** Who decides here, where they do not say it: the user of the operating system. */
import { userInfo } from 'node:os'

export function ownUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}` // one that the system has no name for
  }
}
