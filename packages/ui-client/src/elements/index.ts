export { defineElements } from './define-elements.ts'
export { NotesPanel } from './notes/notes-panel.ts'
export { $texts, defaultTexts, setTexts, type TextChanges, type Texts } from './texts.ts'
