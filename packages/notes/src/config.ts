import type { EnvironmentReader } from '@vertical-kit/core-audit/host'

export interface NotesConfig {
  /** The maximum length of a text, in Unicode code points. */
  readonly maxTextChars: number
}

/** Reads `Notes__MaxTextLength` (default 10000). */
export function readNotesConfig(env: EnvironmentReader): NotesConfig {
  return { maxTextChars: env.integer('Notes__MaxTextLength', { default: 10_000, min: 1, max: 100_000 }) }
}
