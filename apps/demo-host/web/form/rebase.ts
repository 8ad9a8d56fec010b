import type { FormValues } from './form.ts'

/** The three versions of a form's values. */
interface Versions<T> {
  /** The values before both changes. */
  readonly base: T
  readonly mine: T
  readonly theirs: T
}

/**
 * Returns their values with my changes on top. Where both have changed the same value, mine applies. Lines are compared one
 * by one if nobody has added or removed a line. Otherwise, my lines apply as a whole if I have changed any of them.
 */
export function rebase({ base, mine, theirs }: Versions<FormValues>): FormValues {
  return rebased({ base, mine, theirs }) as FormValues
}

function rebased({ base, mine, theirs }: Versions<unknown>): unknown {
  if (JSON.stringify(mine) === JSON.stringify(base)) return theirs
  if (!isObject(base) || !isObject(mine) || !isObject(theirs)) return mine
  const names = Object.keys(mine)
  const isAlike = [base, theirs].every((other) => Object.keys(other).length === names.length)
  if (!isAlike) return mine
  const entries = names.map((name) => [
    name,
    rebased({ base: base[name], mine: mine[name], theirs: theirs[name] }),
  ])
  return Array.isArray(mine) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
