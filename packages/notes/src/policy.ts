import { CoreError } from '@vertical-kit/core-audit'
import { codePointCount, isStorable, trimWhiteSpace } from '@vertical-kit/core-audit/contract'
import { NotesError } from './errors.ts'

/**
 * Returns the text to store. Removes Unicode white space at both ends and changes nothing else.
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

/** The fields of a stored note that decide whether it can change. */
export interface NoteState {
  readonly version: number
  readonly isDeleted: boolean
}

/**
 * Throws if the note is deleted, or if its version differs from the version that the user loaded.
 * @throws {NotesError} notes.deleted · notes.version_conflict
 */
export function checkEdit(state: NoteState, expectedVersion: number): void {
  if (state.isDeleted) throw new NotesError('notes.deleted')
  checkVersion(state, expectedVersion)
}

/** Parses the version in a query string: an integer of at most 15 digits without leading zeros. Returns `null` for other text. */
export function parseVersion(raw: string | undefined): number | null {
  return raw !== undefined && /^(?:0|-?[1-9]\d{0,14})$/.test(raw) ? Number(raw) : null
}

/**
 * Returns `delete`, or `already-deleted` for a deleted note. Only the first deletion needs the version of the note.
 * @throws {NotesError} notes.version_conflict
 * @throws {CoreError} request.invalid if the first deletion has no version
 */
export function decideDeletion(
  state: NoteState,
  expectedVersion: number | null,
): 'delete' | 'already-deleted' {
  if (state.isDeleted) return 'already-deleted'
  if (expectedVersion === null) {
    const errors = [
      { path: 'version', message: 'expected a whole number: the version of the note when it was loaded' },
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
