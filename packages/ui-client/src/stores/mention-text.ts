import type { Mention } from '../wire/notes.ts'

const token = /@\[([0-9a-f-]{36})\]/gi

/** Replaces the tokens of users by their names. The tokens of users without a name stay. */
export const replaceTokens = (text: string, nameOf: (userId: string) => string | undefined): string =>
  text.replace(token, (found, id: string) => {
    const name = nameOf(id.toLowerCase())
    return name === undefined ? found : `@${name}`
  })

/** Replaces the tokens of users with known names by their names, for an editor. */
export const withNames = (text: string, names: ReadonlyMap<string, string>): string =>
  replaceTokens(text, (id) => names.get(id))

/** Replaces known names after an `@` by tokens: the inverse of {@link withNames}. Longer names are replaced first. */
export function withTokens(text: string, names: ReadonlyMap<string, string>): string {
  const known = [...names].toSorted(([, one], [, other]) => other.length - one.length)
  return known.reduce((replaced, [id, name]) => replaced.replace(mentionOf(name), () => `@[${id}]`), text)
}

/** A name ends before a character that could continue it. */
const mentionOf = (name: string): RegExp =>
  new RegExp(`@${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu')

/**
 * Adds the name of a user, with a number if another user has the same name: {@link withTokens} must find the right one. Returns
 * the same map if it contains the user already.
 */
export function withName(
  names: ReadonlyMap<string, string>,
  { userId, displayName }: Mention,
): ReadonlyMap<string, string> {
  const known = names.get(userId)
  if (known === displayName || known?.replace(/ \(\d+\)$/, '') === displayName) return names
  const others = new Set(names.values())
  let name = displayName
  for (let number = 2; others.has(name); number += 1) name = `${displayName} (${number})`
  return new Map(names).set(userId, name)
}

/** A part of a text, with the mentioned user if it is a mention. */
export interface TextPart {
  readonly start: number
  readonly text: string
  readonly mention: Mention | null
}

/** Splits a text at its mentions. */
export function partsOf(text: string, mentions: readonly Mention[]): readonly TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  const plain = (end: number) => {
    if (end > at) parts.push({ start: at, text: text.slice(at, end), mention: null })
  }
  for (const { 0: found, 1: id, index } of text.matchAll(token)) {
    const mention = mentions.find(({ userId }) => userId === id?.toLowerCase())
    if (mention === undefined) continue
    plain(index)
    parts.push({ start: index, text: found, mention })
    at = index + found.length
  }
  plain(text.length)
  return parts
}
