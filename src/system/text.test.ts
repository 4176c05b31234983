import { expect, it } from 'vitest'
import { slug } from './text.ts'

it.each([
  ['Re: Olé, more!', 're-ole-more'],
  ['Größe, GRÖẞE', 'grosse-grosse'],
  ['Ærø Łódź Đà œuvre Þór', 'aero-lodz-da-oeuvre-thor'],
  ['— 你好 —', 'mail'],
  [`${'x'.repeat(49)} y`, 'x'.repeat(49)],
])('makes a file name of %j', (text, name) => expect(slug(text)).toBe(name))
