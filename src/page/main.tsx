/** Starts the page: hears of what happens, keeps what is shown true, and listens to the keyboard. */
import { render } from 'preact'
import { App } from './app.tsx'
import { keepFocus } from './parts/focus.ts'
import { boot } from './state/api.ts'
import { listenToKeys } from './state/keys.ts'
import { noticeNeeds } from './state/notices.ts'
import { keepShared, skewMs } from './state/shared.ts'
import { hear } from './state/stream.ts'

const root = document.getElementById('app')
if (root) {
  root.replaceChildren()
  render(<App />, root)
}
listenToKeys()
keepFocus()
keepShared(noticeNeeds)
boot.subscribe((known) => {
  if (known) skewMs.value = Date.parse(known.now) - Date.now()
})
hear()
