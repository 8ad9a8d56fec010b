import { CoreError } from '@vertical-kit/core-audit'
import { codePointCount, isStorable, trimWhiteSpace } from '@vertical-kit/core-audit/contract'
import { NotesError } from './errors.ts'

/**
 * The text as it is kept: without Unicode white space around it, everything inside as it was sent.
 * @throws {NotesError} notes.text_invalid · notes.text_required · notes.text_too_long
 */
export function normalizeText(raw: string, maxChars: number): string {
  if (!isStorable(raw)) throw new NotesError('notes.text_invalid')
  const text = trimWhiteSpace(raw)
  if (text === '') throw new NotesError('notes.text_required')
  const actualChars = codePointCount(text)
  if (actualChars > maxChars)
    throw new NotesError('notes.text_too_long', { context: { maxChars, actualChars } })
  return text
}

/** What of a stored note decides whether it may change. */
export interface NoteState {
  readonly version: number
  readonly isDeleted: boolean
}

/**
 * An edit needs an active note at the version its author saw.
 * @throws {NotesError} notes.deleted · notes.version_conflict
 */
export function checkEdit(state: NoteState, expectedVersion: number): void {
  if (state.isDeleted) throw new NotesError('notes.deleted')
  checkVersion(state, expectedVersion)
}

/** A version from a query string; `null` when it is none. */
export function parseVersion(raw: string | undefined): number | null {
  return raw !== undefined && /^(?:0|-?[1-9]\d{0,14})$/.test(raw) ? Number(raw) : null
}

/**
 * The first deletion needs the version its author saw; a repeat finds it done, whatever version it sends.
 * @throws {NotesError} notes.version_conflict
 * @throws {CoreError} request.invalid for a first deletion without a version
 */
export function decideDeletion(
  state: NoteState,
  expectedVersion: number | null,
): 'delete' | 'already-deleted' {
  if (state.isDeleted) return 'already-deleted'
  if (expectedVersion === null) {
    const errors = [
      { path: 'version', message: 'expected a whole number: the version the note was loaded at' },
    ]
    throw new CoreError('request.invalid', { errors })
  }
  checkVersion(state, expectedVersion)
  return 'delete'
}

function checkVersion({ version }: NoteState, expectedVersion: number): void {
  if (version === expectedVersion) return
  throw new NotesError('notes.version_conflict', { context: { expectedVersion, actualVersion: version } })
}
