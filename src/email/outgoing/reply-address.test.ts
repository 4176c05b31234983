import { describe, expect, it } from 'vitest'
import { Config } from '../../config.ts'
import { newTag, ReplyAddress } from './reply-address.ts'

const of = (address: string | undefined) =>
  ReplyAddress.of(new Config({}, { AGENTMAIL_INBOUND_ADDRESS: address }))
const tag = '0123456789abcdef0123'

describe('the address that answers go to', () => {
  it('has a tag of its own for each mail, in whatever case and header it comes back', () => {
    expect(new Set(Array.from({ length: 100 }, newTag)).size).toBe(100)
    const address = of(' Answers <abc@inbound.example.com> ')
    expect(address?.with(tag)).toEqual({ name: '', address: `abc+${tag}@inbound.example.com` })
    for (const header of [
      `abc+${tag}@inbound.example.com`,
      `Us <ABC+${tag.toUpperCase()}@Inbound.Example.COM>, b@c.example`,
      `b@c.example,abc+${tag}@inbound.example.com`,
      `abc+none@inbound.example.com, "x" <abc+${tag}@inbound.example.com>; ${tag}`,
    ]) {
      expect(address?.tagsIn(header), header).toEqual([tag])
    }
  })

  it('is no other that looks like it', () => {
    const address = of('a.c@in.example')
    for (const header of [
      ...[`abc+${tag}@in.example`, `a.c+${tag}@inxexample`, `xa.c+${tag}@in.example`],
      ...[`a.c+${tag}@in.example.org`, `a.c+${tag}0@in.example`, `a.c+${tag.slice(1)}@in.example`],
      ...[`a.c+${tag}@in.example-x.org`, `a.c@in.example`, `+${tag}@in.example`, ''],
    ]) {
      expect(address?.tagsIn(header), header).toEqual([])
    }
  })

  it('is none where none is set, and refused where it is none', () => {
    expect(of(undefined)).toBeUndefined()
    for (const wrong of ['abc', 'a@b.example, c@d.example', `${'a'.repeat(50)}@b.example`, '@b']) {
      expect(() => of(wrong), wrong).toThrow(/AGENTMAIL_INBOUND_ADDRESS must be one address/)
    }
  })
})
