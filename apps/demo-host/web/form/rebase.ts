import { combineLines, type Versions } from './combine-lines.ts'
import type { FormValues } from './form.ts'

/** Whose lines apply, if they cannot be combined. */
export type LinesOf = 'mine' | 'theirs'

interface RebaseOptions {
  /** The field that identifies a line. */
  readonly lineKey: string
  readonly lines?: LinesOf | undefined
}

/**
 * Returns their values with my changes on top. Where both have changed the same value, mine applies. Returns null if the lines
 * cannot be combined with certainty, and `lines` does not choose between them.
 */
export function rebase(
  { base, mine, theirs }: Versions<FormValues>,
  { lineKey, lines }: RebaseOptions,
): FormValues | null {
  const values: Record<string, FormValues[string]> = {}
  for (const [name, own] of Object.entries(mine)) {
    const [before = own, other = own] = [base[name], theirs[name]]
    if (typeof own === 'string' || typeof before === 'string' || typeof other === 'string') {
      values[name] = own === before ? other : own
      continue
    }
    const chosen = lines && { mine: own, theirs: other }[lines]
    const combined = combineLines({ base: before, mine: own, theirs: other }, lineKey) ?? chosen
    if (combined === undefined) return null
    values[name] = combined
  }
  return values
}
