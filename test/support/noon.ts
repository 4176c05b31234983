/** A time zone in which it is about noon, so that no test sees a date change. */
export function noonZone(now = new Date()): string {
  const ahead = 12 - now.getUTCHours()
  return ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}
