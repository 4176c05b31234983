/** All keys, on one sheet. */
import type { JSX } from 'preact'
import { keyWords, overlay } from '../state/keys.ts'
import { singleKeys } from '../state/wishes.ts'
import { Dialog } from './dialog.tsx'

export function Help(): JSX.Element {
  return (
    <Dialog title="Keys" onClose={() => (overlay.value = undefined)}>
      <dl class="keys">
        {keyWords.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p>
        <label>
          <input
            type="checkbox"
            checked={singleKeys.value}
            onChange={() => (singleKeys.value = !singleKeys.value)}
          />{' '}
          Single keys do things
        </label>
      </p>
      <button type="button" onClick={() => (overlay.value = undefined)}>
        Close
      </button>
    </Dialog>
  )
}
