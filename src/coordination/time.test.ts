/** Times: microseconds to RFC 3339 and back, in any offset, and nothing else is taken for one. */
import { describe, expect, it } from 'vitest'
import { AgentMailError } from '../errors.ts'
import { parseTime, timeText } from './time.ts'

const second = 1_000_000
/** 2026-01-15T10:00:00Z */
const ten = Date.UTC(2026, 0, 15, 10) * 1000

describe('timeText', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [1, '1970-01-01T00:00:00.000001Z'],
    [999_999, '1970-01-01T00:00:00.999999Z'],
    [ten, '2026-01-15T10:00:00.000000Z'],
    [ten + 1_001, '2026-01-15T10:00:00.001001Z'],
    [ten + 123_456, '2026-01-15T10:00:00.123456Z'],
    [ten - 1, '2026-01-15T09:59:59.999999Z'],
  ])('of %i is %s', (us, text) => {
    expect(timeText(us)).toBe(text)
    expect(parseTime(text)).toBe(us)
  })

  it('sorts as the times do', () => {
    const times = Array.from({ length: 500 }, (_, index) => ten + index ** 4)
    const texts = times.map(timeText)
    expect(texts.toSorted()).toEqual(texts)
    expect(texts.map((text) => parseTime(text))).toEqual(times)
  })
})

describe('parseTime', () => {
  it.each([
    ['2026-01-15T10:00:00Z', ten],
    ['2026-01-15t10:00:00z', ten],
    ['2026-01-15 10:00:00Z', ten],
    ['2026-01-15T10:00:00+00:00', ten],
    ['2026-01-15T10:00:00-00:00', ten],
    ['2026-01-15T12:00:00+02:00', ten],
    ['2026-01-15T15:30:00+05:30', ten],
    ['2026-01-15T02:00:00-08:00', ten],
    ['2026-01-16T00:00:00+14:00', ten],
    ['2026-01-14T22:00:00-12:00', ten],
    ['2026-01-16T09:59:00+23:59', ten],
    ['2026-01-14T10:01:00-23:59', ten],
    ['2026-01-15T10:00:00.5Z', ten + second / 2],
    ['2026-01-15T10:00:00.000001Z', ten + 1],
    ['2026-01-15T10:00:00.0000019Z', ten + 1],
    ['2026-01-15T10:00:00.123456789123456789Z', ten + 123_456],
    ['2026-01-15T12:00:00.123456+02:00', ten + 123_456],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29) * 1000],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29) * 1000],
    ['2025-12-31T23:59:59.999999Z', Date.UTC(2026, 0, 1) * 1000 - 1],
    ['2026-01-01T00:30:00+01:00', (Date.UTC(2026, 0, 1) - 30 * 60_000) * 1000],
    ['2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1) * 1000],
  ])('takes %s', (text, us) => {
    expect(parseTime(text)).toBe(us)
  })

  it.each(['0000-01-01T00:00:00Z', '0099-12-31T00:00:00Z', '1969-12-31T23:59:59.999999Z'])(
    'takes %s, which was before everything',
    (text) => {
      expect(parseTime(text)).toBe(0)
    },
  )

  it.each(['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59-23:59'])(
    'takes %s, which is after everything that is likely to be stored',
    (text) => {
      const us = parseTime(text)
      expect(us).toBeGreaterThan(Date.UTC(2200) * 1000)
      expect(Number.isSafeInteger(us)).toBe(true)
    },
  )

  it.each([
    ...['', ' ', 'Z', 'T', 'now', 'today', 'yesterday', 'NaN', 'null', '0', '1736935200', '1e9'],
    ...['2026', '2026-01', '2026-01-15', '2026-01-15T', '2026-01-15Z', '2026-01-15T10Z'],
    ...['2026-01-15T10:00Z', '2026-01-15T10:00:00', '2026-01-15T10:00:00.Z', '10:00:00Z'],
    ...['2026-01-15T10:00:00,5Z', '2026-01-15T10:00:00.5', '2026-01-15T10:00:00.-5Z'],
    ...['26-01-15T10:00:00Z', '02026-01-15T10:00:00Z', '+2026-01-15T10:00:00Z'],
    ...['-2026-01-15T10:00:00Z', '2026-1-15T10:00:00Z', '2026-01-5T10:00:00Z', '20260115T100000Z'],
    ...['2026/01/15T10:00:00Z', '15.01.2026 10:00:00Z', '2026-015T10:00:00Z', '2026-W03-4'],
    ...['2026-00-15T10:00:00Z', '2026-13-15T10:00:00Z', '2026-01-00T10:00:00Z'],
    ...['2026-01-32T10:00:00Z', '2026-02-29T10:00:00Z', '2026-04-31T10:00:00Z'],
    ...['1900-02-29T10:00:00Z', '2026-01-15T24:00:00Z', '2026-01-15T25:00:00Z'],
    ...['2026-01-15T10:60:00Z', '2026-01-15T10:00:61Z', '2026-01-15T-1:00:00Z'],
    ...['2026-01-15T10:00:00+', '2026-01-15T10:00:00+2', '2026-01-15T10:00:00+02'],
    ...['2026-01-15T10:00:00+0200', '2026-01-15T10:00:00+02:0', '2026-01-15T10:00:00+02:60'],
    ...['2026-01-15T10:00:00+24:00', '2026-01-15T10:00:00-24:00', '2026-01-15T10:00:00+99:00'],
    ...['2026-01-15T10:00:00 +02:00', '2026-01-15T10:00:00Z+02:00', '2026-01-15T10:00:00ZZ'],
    ...['2026-01-15T10:00:00 UTC', '2026-01-15T10:00:00 GMT', '2026-01-15T10:00:00[UTC]'],
    ...['2026-01-15T10:00:00−02:00', '２０２６-01-15T10:00:00Z', '2026-01-15T10:00:00Z\nx'],
    ...['2026-01-15  10:00:00Z', '2026-01-15_10:00:00Z', "2026-01-15T10:00:00Z'--", '🕙'],
    ...['Thu, 15 Jan 2026 10:00:00 GMT', 'Thu Jan 15 2026', '2026-01-15T10:00:00.000000000'],
  ])('refuses %j', (text) => {
    expect(() => parseTime(text)).toThrow(AgentMailError)
    expect(() => parseTime(text)).toThrow(/^parsing since timestamp: /)
    expect(() => parseTime(text, 'as-of')).toThrow(/^parsing as-of timestamp: /)
  })

  it('does not repeat more than the beginning of what it refuses', () => {
    expect(() => parseTime('x'.repeat(1e6))).toThrow(
      `parsing since timestamp: "${'x'.repeat(60)}" is not RFC 3339`,
    )
  })
})
