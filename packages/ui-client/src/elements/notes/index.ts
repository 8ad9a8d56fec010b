export { defineNotesElements } from './define-elements.ts'
export { NotesPanel } from './notes-panel.ts'
