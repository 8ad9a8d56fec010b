import { define } from '../define.ts'
import { ListEnd } from '../parts/list-end.ts'
import { NotesPanel } from './notes-panel.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-notes': NotesPanel
  }
}

/** Registers the elements for notes with the page, and those that they use. Skips tags that are already registered. */
export const defineNotesElements = (): void =>
  define({
    'vk-list-end': ListEnd,
    'vk-notes': NotesPanel,
  })
