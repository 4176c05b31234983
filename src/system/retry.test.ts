import { describe, expect, it } from 'vitest'
import { untilAnswered, untilDone } from './retry.ts'

/** Fails so often, and then gives how often it was asked. */
const failing = (failures: number) => {
  let calls = 0
  return () => {
    if (calls++ < failures) throw new Error(`failure ${calls}`)
    return calls
  }
}

describe('untilAnswered', () => {
  it('asks until there is an answer', async () => {
    const answers = [undefined, undefined, 0, 1]
    expect(await untilAnswered({}, () => answers.shift())).toBe(0)
    expect(answers).toEqual([1])
  })

  it.each([{ tries: 3 }, { patienceMs: 30 }])('gives up with %j', async (patience) => {
    let asked = 0
    const ask = () => {
      asked++
      return undefined
    }
    expect(await untilAnswered(patience, ask)).toBeUndefined()
    expect(asked).toBeGreaterThan(1)
    if (patience.tries) expect(asked).toBe(patience.tries)
  })
})

describe('untilDone', () => {
  const always = () => true

  it('goes on while an error may pass', async () => {
    expect(await untilDone({}, failing(3), always)).toBe(4)
  })

  it('gives up with the last error when it was tried often enough', async () => {
    await expect(untilDone({ tries: 2 }, failing(3), always)).rejects.toThrow('failure 2')
  })

  it('gives up at once with an error that will not pass', async () => {
    await expect(untilDone({}, failing(3), () => false)).rejects.toThrow('failure 1')
  })
})
