/** A vault with a place outside of it that nobody may read or write, worked on by the orchestrator. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { Env } from '../agentmail.ts'
import { Clerk, draft } from '../orchestrator/clerk.ts'

const from: Env = { AGENTMAIL_MAIL_FROM: 'me@example.com' }
const rules = `---
rules:
  - from: example.com
    decision: draft_reply
    reply: Yes.
---
`

export class HostileVault extends Clerk {
  readonly outside = join(this.folder, 'outside')

  constructor() {
    super()
    mkdirSync(this.outside)
    writeFileSync(join(this.outside, 'note.md'), draft('evil@example.net', 'stolenword'))
    writeFileSync(join(this.outside, 'state.json'), '{"stolenword": 1}')
    this.put('Rules.md', rules)
  }

  link(path: string, target: string): void {
    mkdirSync(dirname(join(this.vault, path)), { recursive: true })
    symlinkSync(join(this.outside, target), join(this.vault, path))
  }

  outsideNow(): string[] {
    return readdirSync(this.outside).map(
      (name) => `${name}: ${readFileSync(join(this.outside, name))}`,
    )
  }

  /** Runs it, and looks at what must hold in any case. */
  async works(env: Env = {}) {
    const before = this.outsideNow()
    const ran = await this.once({ ...from, ...env })
    expect(this.outsideNow()).toEqual(before)
    expect(ran.stderr).not.toContain('should not have happened')
    expect(ran.stderr).not.toContain('    at ')
    expect(ran.signal).toBe(null)
    expect(JSON.stringify([ran.stdout, ran.stderr, await this.sent()])).not.toContain('stolenword')
    return ran
  }
}
