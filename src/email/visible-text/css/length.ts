/** Numbers, lengths and angles of CSS, as far as they can be known without laying out the page. */

import { lookup } from '../../../system/text.ts'
export interface Measure {
  /** The font size in force. */
  em: number
  /** What 100% is. */
  whole: number
  /** The font size of the page. */
  rem?: number
}

interface Quantity {
  value: number
  /** 0 is a bare number, 1 a number of units. */
  power: number
}

type UnitOf = (unit: string) => Quantity | undefined

const units = lookup<number>({
  px: 1,
  pt: 4 / 3,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 9.6 / 2.54,
  q: 2.4 / 2.54,
  vw: 8,
  vi: 8,
})

const angles = lookup<number>({ deg: 1, grad: 0.9, rad: 180 / Math.PI, turn: 360 })

/** Nothing where it is no length that can be told. A bare number counts as pixels. */
export function pixels(value: string | undefined, measure: Measure): number | undefined {
  const found = quantity(value, (unit) => {
    const size = lengthUnit(unit, measure)
    return size === undefined ? undefined : { value: size, power: 1 }
  })
  const isBare = found?.power === 0 && /^[-+.\d]/.test(value ?? '')
  return found?.power === 1 || isBare ? found?.value : undefined
}

function lengthUnit(unit: string, { em, whole, rem = 16 }: Measure): number | undefined {
  if (unit === '%') return whole / 100
  if (unit === 'em') return em
  if (unit === 'rem') return rem
  if (/^(ex|ch|cap|ic|lh)$/.test(unit)) return em / 2
  if (/^r(ex|ch|cap|ic|lh)$/.test(unit)) return rem / 2
  return units[unit.replace(/^[sld](?=v)/, '')]
}

/** A number, or per cent of 1. */
export function ratio(value: string | undefined): number | undefined {
  const found = quantity(value, (unit) => (unit === '%' ? { value: 0.01, power: 0 } : undefined))
  return found?.power === 0 ? found.value : undefined
}

/** A bare number counts as degrees. */
export function degrees(value: string | undefined): number | undefined {
  const found = quantity(value, (unit) => {
    const angle = angles[unit]
    return angle === undefined ? undefined : { value: angle, power: 1 }
  })
  return found?.power === 1 || /^[-+.\d]/.test(value ?? '') ? found?.value : undefined
}

function quantity(value: string | undefined, unitOf: UnitOf): Quantity | undefined {
  if (value === undefined || value.length > 300) return undefined
  return new Calculator(value, unitOf).read()
}

/** Others are not worked out: what they say cannot be told. */
const kept = lookup<(numbers: number[]) => number | undefined>({
  calc: ([only]) => only,
  min: (numbers) => Math.min(...numbers),
  max: (numbers) => Math.max(...numbers),
  clamp: ([low, middle, high]) =>
    low === undefined || middle === undefined || high === undefined
      ? undefined
      : Math.max(low, Math.min(middle, high)),
})

/** Reads `12px`, and works out `calc(1px + 2 * (3em - 4px))` and its like. */
class Calculator {
  readonly #text: string
  readonly #unitOf: UnitOf
  #at = 0

  constructor(text: string, unitOf: UnitOf) {
    this.#text = text
    this.#unitOf = unitOf
  }

  read(): Quantity | undefined {
    const found = this.#text.startsWith('(') ? undefined : this.#value()
    return this.#at === this.#text.length && !Number.isNaN(found?.value) ? found : undefined
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text) ?? undefined
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #sum(): Quantity | undefined {
    let left = this.#product()
    for (let sign = this.#take(/ ([+-]) /y); sign && left; sign = this.#take(/ ([+-]) /y)) {
      const right = this.#product()
      if (right?.power !== left.power) return undefined
      const value = sign[1] === '+' ? left.value + right.value : left.value - right.value
      left = { value, power: left.power }
    }
    return left
  }

  #product(): Quantity | undefined {
    let left = this.#value()
    for (let sign = this.#take(/ ?([*/]) ?/y); sign && left; sign = this.#take(/ ?([*/]) ?/y)) {
      const right = this.#value()
      if (!right) return undefined
      left =
        sign[1] === '*'
          ? { value: left.value * right.value, power: left.power + right.power }
          : { value: left.value / right.value, power: left.power - right.power }
    }
    return left
  }

  #value(): Quantity | undefined {
    const literal = this.#take(/([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%)?/y)
    if (literal) {
      const unit = literal[2] === undefined ? { value: 1, power: 0 } : this.#unitOf(literal[2])
      return unit && { value: Number(literal[1]) * unit.value, power: unit.power }
    }
    const call = this.#take(/(?:-webkit-(?=calc))?([a-z]*)\( ?/y)
    return call && this.#call(call[1] || 'calc')
  }

  #call(name: string): Quantity | undefined {
    const given: Quantity[] = []
    do {
      const one = this.#sum()
      if (!one) return undefined
      given.push(one)
    } while (this.#take(/ ?, ?/y))
    const power = given[0]?.power ?? 0
    if (!this.#take(/ ?\)/y) || given.some((one) => one.power !== power)) return undefined
    const numbers = given.map(({ value }) => value)
    const value = kept[name]?.(numbers)
    return value === undefined ? undefined : { value, power }
  }
}
