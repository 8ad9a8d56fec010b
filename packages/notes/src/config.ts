import type { EnvironmentReader } from '@vertical-kit/core-audit/host'

/** `readNotesConfig` reads it from the section `Notes__`. */
export interface NotesConfig {
  /** The maximum length of the text of a note, in Unicode code points. */
  readonly maxTextChars: number
}

/** Reads the configuration of notes: `Notes__MaxTextLength` (default 10000). */
export function readNotesConfig(env: EnvironmentReader): NotesConfig {
  return { maxTextChars: env.integer('Notes__MaxTextLength', { default: 10_000, min: 1, max: 100_000 }) }
}
