/** One stream for all tabs of a browser: it has six connections for a server, and each tab needs some for itself. */

/** Longer than a tab takes to answer that is at work. */
const patienceMs = 3000

export interface Tabs<Word> {
  /** Tells the other tabs, where this one has the stream. */
  tell(word: Word): void
}

interface TabsOptions<Word> {
  /** This tab has the stream from now on. */
  lead(): void
  /** Another tab has it, and tells this. */
  take(word: Word): void
  /** What a tab is told that has just been opened. */
  greeting(): Word
}

/** Where a browser cannot say which tab it is, each has a stream of its own. */
export function joinTabs<Word>({ lead, take, greeting }: TabsOptions<Word>): Tabs<Word> {
  let isLeading = false
  let isTold = false
  const begin = () => {
    if (!isLeading) lead()
    isLeading = true
  }
  if (typeof BroadcastChannel === 'undefined' || !navigator.locks) {
    begin()
    return { tell: () => {} }
  }
  const channel = new BroadcastChannel('agentmail')
  const tell = (word: Word) => {
    if (isLeading) channel.postMessage({ word })
  }
  channel.onmessage = ({ data }: MessageEvent<{ word?: Word }>) => {
    if (data.word === undefined) tell(greeting())
    else if (!isLeading) {
      isTold = true
      take(data.word)
    }
  }
  // It is kept until the tab is closed; then the next one has it.
  void navigator.locks.request('agentmail', () => {
    begin()
    return new Promise(() => {})
  })
  channel.postMessage({})
  setTimeout(() => {
    if (!isTold) begin() // whoever has it says nothing
  }, patienceMs)
  return { tell }
}
