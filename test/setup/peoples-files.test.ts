/** Setup and undo on files as people have them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { JsonDocument } from '../../src/setup/json-document.ts'
import { SetupHome } from '../support/setup/home.ts'
import { type PeoplesFile, peoplesFiles } from '../support/setup/peoples-files.ts'

const titled = peoplesFiles.map((file) => [`${file.path}: ${file.name}`, file] as const)

function homeWith({ path, text }: PeoplesFile): SetupHome {
  const home = new SetupHome()
  home.put(path, text)
  return home
}

/** Whether one text is another with more in between. */
function isWithin(text: string, longer: string): boolean {
  let place = 0
  for (const character of longer.split('')) if (character === text[place]) place++
  return place === text.length
}

describe('setup', () => {
  it('is tried on forty files', () => expect(peoplesFiles).toHaveLength(40))

  it.each(titled)(
    'writes the right entries, changes nothing the second time, and goes without a trace: %s',
    (_, file) => {
      const home = homeWith(file)
      const clients = [file.client]
      home.setUp({ clients })
      const status = home.status(file.client)
      expect(status).toMatchObject({ server: 'current', problems: [] })
      expect([undefined, 'current']).toContain(status.hooks)
      const after = home.read(file.path)
      expect(after).not.toBe(file.text)
      expect(home.setUp({ clients })).toEqual([])
      expect(home.read(file.path)).toBe(after)
      home.undo(clients)
      expect(home.read(file.path)).toBe(file.text)
      expect(readdirSync(join(home.home, 'state/agentmail/setup'))).toEqual([])
    },
  )

  it.each(titled)('keeps every character that was there, in its place: %s', (_, file) => {
    const home = homeWith(file)
    home.setUp({ clients: [file.client] })
    const after = home.read(file.path) ?? ''
    expect(isWithin(file.text, after)).toBe(true)
    expect(after.includes('\r\n')).toBe(file.text.includes('\r\n'))
    expect(/[^\r]\n/.test(after) && file.text.includes('\r\n')).toBe(false)
    expect(after.startsWith('\ufeff')).toBe(file.text.startsWith('\ufeff'))
  })

  it.each(titled)(
    'takes out its own entries alone when the file was changed since: %s',
    (_, file) => {
      const home = homeWith(file)
      home.setUp({ clients: [file.client] })
      const changed = (text: string): string => {
        if (file.path.endsWith('.toml')) return `# mine\n${text.replace('\ufeff', '')}`
        const document = new JsonDocument(text)
        document.set(['mine'], { a: [1] })
        return document.text
      }
      home.put(file.path, changed(home.read(file.path) ?? ''))
      home.undo([file.client])
      const rest = home.read(file.path) ?? ''
      expect(rest).not.toMatch(/"agentmail"|agentmail hook|mcp__agentmail|^command = "agentmail"/m)
      const strip = (text: string) => text.replaceAll(/\s/g, '').replaceAll(/,(?=[\]}])/g, '')
      expect(strip(rest)).toBe(strip(changed(file.text)))
    },
  )
})
