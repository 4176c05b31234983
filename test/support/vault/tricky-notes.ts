/** Every note that is easy to damage. */
import type { TrickyNote } from './note-pieces.ts'
import { trickyLayouts } from './tricky-layouts.ts'
import { trickyValues } from './tricky-values.ts'

export const trickyNotes: TrickyNote[] = [...trickyLayouts, ...trickyValues]
