/** Times and ages on a command line: every form, in the reader's time zone, and nothing else. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { timeForms } from '../coordination/time.ts'
import { AgentMailError } from '../errors.ts'
import { ageMs, timeOf, timeOrVersion } from './times.ts'

afterEach(() => vi.unstubAllEnvs())

/** What an option means in a time zone when it is written at a moment. */
function meant(value: string, zone = 'UTC', now = '2026-01-15T10:00:00Z'): number {
  vi.stubEnv('TZ', zone)
  return Date.parse(timeOf(value, '--since', { now: () => Date.parse(now) }) ?? '')
}
const at = (time: string) => Date.parse(time)

describe('a time', () => {
  it.each([
    ['0s', '2026-01-15T10:00:00Z'],
    ['90s', '2026-01-15T09:58:30Z'],
    ['5m', '2026-01-15T09:55:00Z'],
    ['2h', '2026-01-15T08:00:00Z'],
    ['3d', '2026-01-12T10:00:00Z'],
    ['1w', '2026-01-08T10:00:00Z'],
    [' 002h ', '2026-01-15T08:00:00Z'],
    ['999999999w', '1970-01-01T00:00:00Z'],
    ['2026-01-14T09:00:00Z', '2026-01-14T09:00:00Z'],
    ['2026-01-14T09:00:00.5+02:00', '2026-01-14T07:00:00.5Z'],
    ['2026-01-14 09:00:00Z', '2026-01-14T09:00:00Z'],
    ['1969-01-01', '1970-01-01T00:00:00Z'],
    ['9999-12-31', '9999-12-31T00:00:00Z'],
  ])('%j is %s', (value, time) => {
    expect(meant(value)).toBe(at(time))
  })

  it.each([
    ['today', 'UTC', '2026-01-15T00:00:00Z'],
    ['yesterday', 'UTC', '2026-01-14T00:00:00Z'],
    ['Yesterday', 'UTC', '2026-01-14T00:00:00Z'],
    ['today', 'Asia/Tokyo', '2026-01-15T00:00:00+09:00'],
    ['yesterday', 'Asia/Tokyo', '2026-01-14T00:00:00+09:00'],
    ['today', 'Pacific/Honolulu', '2026-01-15T00:00:00-10:00'],
    ['2026-01-14', 'Asia/Kolkata', '2026-01-14T00:00:00+05:30'],
    ['2026-01-14 18:05', 'America/New_York', '2026-01-14T18:05:00-05:00'],
    ['2026-01-14T18:05:06.25', 'America/New_York', '2026-01-14T18:05:06.25-05:00'],
    ['2026-07-14 18:05', 'America/New_York', '2026-07-14T18:05:00-04:00'],
    ['2026-01-14T18:05:06Z', 'America/New_York', '2026-01-14T18:05:06Z'],
  ])('%s in %s is %s', (value, zone, time) => {
    expect(meant(value, zone)).toBe(at(time))
  })

  it.each([
    ['the clocks went forward', 'Europe/Berlin', '2026-03-30T08:00Z', '2026-03-29T00:00+01:00'],
    ['that day itself', 'Europe/Berlin', '2026-03-29T08:00Z', '2026-03-28T00:00+01:00'],
    ['the clocks went back', 'Europe/Berlin', '2026-10-26T08:00Z', '2026-10-25T00:00+02:00'],
    [
      'it is early and the night was long',
      'Europe/Berlin',
      '2026-10-25T22:30Z',
      '2026-10-24T00:00+02:00',
    ],
    ['the clocks skipped midnight', 'Africa/Cairo', '2026-04-25T08:00Z', '2026-04-24T01:00+03:00'],
    ['a month began', 'UTC', '2026-03-01T08:00Z', '2026-02-28T00:00Z'],
    ['a year began', 'Asia/Tokyo', '2025-12-31T15:00Z', '2025-12-31T00:00+09:00'],
  ])('yesterday is the local day before where %s', (_, zone, now, time) => {
    expect(meant('yesterday', zone, now)).toBe(at(time))
  })

  it.each([
    ...[
      '',
      ' ',
      'now',
      'tomorrow',
      'last week',
      'h',
      '2',
      '2 h',
      '-2h',
      '1.5h',
      '2H',
      '2y',
      '2h ago',
    ],
    ...[
      '9999999999s',
      '1e3s',
      '２h',
      '2hours',
      '2026',
      '2026-01',
      '2026-1-5',
      '15.01.2026',
      '10:00',
    ],
    ...[
      '2026-02-29',
      '2026-02-30',
      '2026-04-31 10:00',
      '2026-13-01',
      '2026-00-01',
      '2026-01-15 24:00',
    ],
    ...['2026-01-15 10', '2026-01-15 10:60', '2026-01-15T10:00Z', '2026-01-15T10:00:00+25:00'],
    ...['1736935200', 'NaN', "yesterday'", 'today\0', 'HEAD~1', '🕙', 'constructor', '__proto__'],
  ])('%j is none, and the forms are listed', (value) => {
    const refused = expect(() => timeOf(value, '--since'))
    refused.toThrow(AgentMailError)
    refused.toThrow(
      expect.objectContaining({ message: `--since: "${value}" is no time`, next: timeForms }),
    )
    expect(timeOrVersion(value)).toBe(value)
  })

  it('is repeated only in part where it is none', () => {
    expect(() => timeOf('x'.repeat(1e6), '--since')).toThrow(
      `--since: "${'x'.repeat(60)}" is no time`,
    )
  })

  it('that was not given is none', () => {
    expect(timeOf(undefined, '--since')).toBeUndefined()
  })
})

describe('an age', () => {
  it.each([
    ['0s', 0],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    [' 90d ', 7_776_000_000],
    ['2w', 1_209_600_000],
  ])('%s is understood', (age, ms) => {
    expect(ageMs(age, '--older-than')).toBe(ms)
  })

  it.each([
    '90',
    'd',
    '',
    '1.5d',
    '-1d',
    '90 days',
    '1y',
    '9e3d',
    '90d ago',
    '2026-01-01',
    '１d',
    'today',
  ])('%j is refused with examples', (age) => {
    expect(() => ageMs(age, '--older-than')).toThrow(/^--older-than must be an age, not /)
  })
})
