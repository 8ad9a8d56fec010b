import { CoreError } from '@vertical-kit/core-audit'
import { codePointCount, isStorable, trimWhiteSpace } from '@vertical-kit/core-audit/contract'
import type { Mention, NoteLink } from './contract.ts'
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

/** Parses the version in a query string: a safe integer, as in a body, without leading zeros. Returns `null` for other text. */
export function parseVersion(raw: string | undefined): number | null {
  if (raw === undefined || !/^(?:0|-?[1-9]\d{0,15})$/.test(raw)) return null
  const version = Number(raw)
  return Number.isSafeInteger(version) ? version : null
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

const mentionPattern = /@\[([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]/gi

/** More mentions in one note stay plain text: the rights of each mentioned user are read. */
const maxMentions = 50

/** Returns the ids of the first 50 users that a text mentions as `@[<uuid>]`, in lower case and each once. */
export function mentionsIn(text: string): readonly string[] {
  if (!text.includes('@[')) return []
  const ids = [...text.matchAll(mentionPattern)].map(([, id = '']) => id.toLowerCase())
  return [...new Set(ids)].slice(0, maxMentions)
}

export const idsOf = (mentions: readonly Mention[]): readonly string[] => mentions.map(({ userId }) => userId)

/** Returns the mentions that {@link mentionsIn} finds in a text, in the order of the text. */
export function inOrderOf(text: string, mentions: readonly Mention[]): Mention[] {
  const ids = mentionsIn(text)
  return mentions
    .filter(({ userId }) => ids.includes(userId))
    .toSorted((one, other) => ids.indexOf(one.userId) - ids.indexOf(other.userId))
}

/** Returns the property of a note. Most notes have no links, so they omit it. */
export const linksOf = (links: readonly NoteLink[]): { links?: NoteLink[] } =>
  links.length === 0 ? {} : { links: [...links] }

/** Marks at the end of a sentence do not belong to an address. */
const marks = new Set('.,;:!?\'"’”»…')

/** More addresses in one note stay plain text: each page parses those of all its notes. */
const maxAddresses = 100

/** Finds the first 100 web addresses in a text: `http` and `https` only, because other schemes can run code in the reader's page. */
export function findAddresses(text: string): readonly NoteLink[] {
  // Most notes contain none, and a page has many notes.
  if (!text.includes('://')) return []
  const matches = [...text.matchAll(/https?:\/\/[^\s<>"]+/gi)].slice(0, maxAddresses)
  return matches.flatMap(({ 0: found, index: start }) => {
    const address = trimAddress(found)
    const url = URL.parse(address)
    if (url === null || !['http:', 'https:'].includes(url.protocol)) return []
    // `https://www.bank.com@evil.example` looks like the address of another server.
    if (url.username !== '' || url.password !== '') return []
    return [{ start, length: address.length, url: url.href }]
  })
}

/** Removes marks and closing brackets without an opening one from the end. Reads the text once, because users choose it. */
function trimAddress(found: string): string {
  let unopened = found.split(')').length - found.split('(').length
  for (let end = found.length; ; end -= 1) {
    const last = found.charAt(end - 1)
    if (last === ')' && unopened > 0) unopened -= 1
    else if (!marks.has(last)) return found.slice(0, end)
  }
}
