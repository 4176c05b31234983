import { describe, expect, it } from 'vitest'
import { Config } from './config.ts'
import { settings } from './settings.ts'

describe('Config', () => {
  it('takes a flag before the environment, and that before the default', () => {
    const env = { AGENTMAIL_STALE_HOURS: '5' }
    expect(new Config({ 'stale-hours': '7' }, env).number('staleHours')).toBe(7)
    expect(new Config({}, env).number('staleHours')).toBe(5)
    expect(new Config({}, {}).number('staleHours')).toBe(48)
  })

  it('counts an empty value as absent', () => {
    const env = { AGENTMAIL_AGENT: '', AGENTMAIL_STALE_HOURS: ' ' }
    expect(new Config({}, env).text('agent')).toBeUndefined()
    expect(new Config({}, env).number('staleHours')).toBe(48)
  })

  it('names the setting that is no number, and where it came from', () => {
    for (const bad of ['soon', '-1', 'Infinity', '1h', '']) {
      expect(() => new Config({ 'stale-hours': bad }, {}).number('staleHours')).toThrow(
        /^--stale-hours must be a number/,
      )
    }
    const env = { AGENTMAIL_STALE_HOURS: 'soon' }
    expect(() => new Config({}, env).number('staleHours')).toThrow(/^AGENTMAIL_STALE_HOURS must be/)
  })

  it('shows that a secret is set, and never what it is', () => {
    const listed = new Config({}, { AGENTMAIL_TOKEN: 'hunter2' }).inForce()
    expect(listed.find(({ name }) => name === 'token')).toMatchObject({ value: '********' })
    expect(JSON.stringify(listed)).not.toContain('hunter2')
  })

  it('lists every setting with its source', () => {
    const listed = new Config({}, { AGENTMAIL_AGENT: 'me' }).inForce()
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(settings))
    expect(listed.find(({ name }) => name === 'agent')).toMatchObject({
      value: 'me',
      source: 'environment',
    })
    expect(listed.find(({ name }) => name === 'dir')).toMatchObject({
      value: null,
      source: 'default',
    })
  })
})
