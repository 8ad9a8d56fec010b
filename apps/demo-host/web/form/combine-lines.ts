import type { FormValues } from './form.ts'

/** Three versions of the same values. */
export interface Versions<T> {
  /** The values before both changes. */
  readonly base: T
  readonly mine: T
  readonly theirs: T
}

type Lines = readonly FormValues[]

/**
 * Returns the lines with the changes of both, mine first. Lines have no id, so `key` names the field that identifies them, for example
 * the item. Returns null if it is not certain which lines belong together:
 *
 * - both have changed the lines with one key, and their number differs
 * - several lines have the same key, and both have changed one of them
 * - a line is gone from both, and one of them has a new line: it can be the same line with another key
 *
 * Two equal new lines become one. If one side gives a line another key and adds a line with the previous key, the changes of the
 * other side apply to the added line. The user sees the result before it is saved.
 */
export function combineLines({ base, mine, theirs }: Versions<Lines>, key: string): Lines | null {
  const unchanged = oneChange({ base, mine, theirs })
  if (unchanged !== undefined) return unchanged
  const keys = [...new Set([...base, ...mine, ...theirs].map((line) => line[key]))]
  const groups = keys.map((one) => {
    const withKey = (lines: Lines) => lines.filter((line) => line[key] === one)
    return { base: withKey(base), mine: withKey(mine), theirs: withKey(theirs) }
  })
  if (groups.some(isGoneFromBoth) && groups.some(isNewInOne)) return null
  const combined = groups.map(combineGroup)
  const waiting = new Map(keys.map((one, index) => [one, [...(combined[index] ?? [])]]))
  const inOrder = [...mine, ...theirs].flatMap((line) => {
    const next = waiting.get(line[key])?.shift()
    return next === undefined ? [] : [next]
  })
  return combined.includes(null) ? null : inOrder
}

/** Returns the changed lines if only one of both has changed them, or both in the same way. */
function oneChange({ base, mine, theirs }: Versions<Lines>): Lines | undefined {
  if (areAlike(mine, base)) return theirs
  return areAlike(theirs, base) || areAlike(mine, theirs) ? mine : undefined
}

const isGoneFromBoth = ({ base, mine, theirs }: Versions<Lines>): boolean =>
  mine.length < base.length && theirs.length < base.length

const isNewInOne = ({ base, mine, theirs }: Versions<Lines>): boolean =>
  Math.max(mine.length, theirs.length) > base.length && !areAlike(mine, theirs)

/** Combines the lines with the same key, in their order. */
function combineGroup({ base, mine, theirs }: Versions<Lines>): Lines | null {
  const unchanged = oneChange({ base, mine, theirs })
  if (unchanged !== undefined) return unchanged
  if (mine.length !== base.length || theirs.length !== base.length) return null
  const lines = base.map((before, index) => {
    const [own = before, other = before] = [mine[index], theirs[index]]
    const changed = oneChange({ base: [before], mine: [own], theirs: [other] })
    if (changed !== undefined) return changed[0] ?? before
    return base.length > 1 ? null : combineLine({ base: before, mine: own, theirs: other })
  })
  return lines.every((line) => line !== null) ? lines : null
}

const combineLine = ({ base, mine, theirs }: Versions<FormValues>): FormValues =>
  Object.fromEntries(
    Object.entries(mine).map(([name, own]) => [name, own === base[name] ? (theirs[name] ?? own) : own]),
  )

const areAlike = (lines: Lines, others: Lines): boolean =>
  lines.length === others.length &&
  lines.every((line, index) => Object.entries(line).every(([name, value]) => value === others[index]?.[name]))
