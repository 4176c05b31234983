/** Tells of what needs the person where they do not look: in the title, and by notices of the browser if these are allowed. */
import { effect } from '@preact/signals'
import type { NeedView } from '../../person/shapes.ts'
import { addressOfNeed } from './need.ts'
import { project, route, views } from './route.ts'
import { needs, needsCount } from './shared.ts'
import { plain } from './unseen.ts'
import { wantsNotices } from './wishes.ts'

const mostAtOnce = 3

export const canNotice = (): boolean => 'Notification' in window

/** Whether the person wants them, and the browser still allows them. */
export const isNoticing = (): boolean =>
  wantsNotices.value && canNotice() && Notification.permission === 'granted'

/** Whether they are allowed. */
export async function askForNotices(): Promise<boolean> {
  wantsNotices.value = canNotice() && (await Notification.requestPermission()) === 'granted'
  return wantsNotices.value
}

let known: Set<string> | undefined

/** What was there when the page was opened is on it. */
export function noticeNeeds(all: NeedView[]): void {
  const before = known
  known = new Set(all.map(({ key }) => key))
  if (!before || !isNoticing()) return
  const fresh = all.filter(({ key }) => !before.has(key))
  if (fresh.length === 0 || (!document.hidden && document.hasFocus())) return
  if (fresh.length > mostAtOnce) {
    show(`${fresh.length} new things need you`, '', 'several', '#/*/needs')
    return
  }
  for (const need of fresh) show(need.title, need.text, need.key, addressOfNeed(need))
}

function show(title: string, body: string, tag: string, address: string): void {
  const notice = new Notification(plain(title), { body: plain(body.slice(0, 200)), tag })
  notice.onclick = () => {
    window.focus()
    location.hash = address
    notice.close()
  }
}

effect(() => {
  const count =
    needs.value === undefined ? '' : needsCount.value > 0 ? `(${needsCount.value}) ` : ''
  const { view } = route.value
  const title = views.find((one) => one.view === view)?.title ?? 'Search'
  document.title = `${count}${title} · ${plain(project.value ?? 'all projects')} – AgentMail`
})
