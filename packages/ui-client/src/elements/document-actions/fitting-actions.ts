import type { DocumentAction } from '../../wire/documents.ts'

/** With more buttons, the next step no longer stands out. */
const maxButtons = 3

/**
 * Returns the actions that the user most likely wants next, at most three: available ones, `Primary` before the others.
 * Within each group, the order of the vertical applies. `Dangerous` actions stay in the "More" menu.
 */
export const likelyActions = (actions: readonly DocumentAction[]): readonly DocumentAction[] =>
  actions
    .filter(({ isAllowed, kind }) => isAllowed && kind !== 'Dangerous')
    .sort(primaryFirst)
    .slice(0, maxButtons)

/** Returns the action whose reasons explain best why nothing is available, or undefined if an action is available. */
export const mainRefusal = (actions: readonly DocumentAction[]): DocumentAction | undefined =>
  actions.some(({ isAllowed }) => isAllowed) ? undefined : [...actions].sort(primaryFirst)[0]

const primaryFirst = (one: DocumentAction, other: DocumentAction): number =>
  Number(other.kind === 'Primary') - Number(one.kind === 'Primary')

/** Widths of the bar and of the buttons, in CSS pixels. */
export interface BarRoom {
  readonly available: number
  readonly gap: number
  readonly moreButton: number
  readonly buttons: readonly number[]
  /** Whether the "More" menu contains other actions, too. */
  readonly isMoreNeeded: boolean
}

/** Returns how many buttons fit in the bar. The "More" menu contains the actions of the others. */
export function fittingCount({ available, gap, moreButton, buttons, isMoreNeeded }: BarRoom): number {
  const total = buttons.reduce((sum, width) => sum + width + gap, -gap)
  if (!isMoreNeeded && total <= available) return buttons.length
  let left = available - moreButton
  const found = buttons.findIndex((width) => {
    left -= width + gap
    return left < 0
  })
  return found === -1 ? buttons.length : found
}

/** Sorts actions by their display order. */
export const inOrder = (actions: readonly DocumentAction[]): readonly DocumentAction[] =>
  [...actions].sort((one, other) => one.order - other.order)
