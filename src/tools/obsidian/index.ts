/** The tools of the obsidian toolset. Generated from the files of this folder: npm run generate. */
import listNotes from './list-notes.ts'
import moveNote from './move-note.ts'
import readNote from './read-note.ts'
import searchNotes from './search-notes.ts'
import writeNote from './write-note.ts'

export const tools = [listNotes, moveNote, readNote, searchNotes, writeNote]
