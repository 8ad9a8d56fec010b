import type { DocumentAction } from '../../wire/documents.ts'

/** Widths of the bar and of the buttons, in CSS pixels. */
export interface BarRoom {
  readonly available: number
  readonly gap: number
  readonly moreButton: number
  /** The widths of the buttons, in the order of the actions. */
  readonly buttons: readonly number[]
}

/**
 * Returns the codes of the actions that fit in the bar as buttons. All other actions are in the "More" menu. Available
 * actions have priority. Within each group, the order of the vertical applies.
 */
export function fittingActions(
  actions: readonly DocumentAction[],
  { available, gap, moreButton, buttons }: BarRoom,
): ReadonlySet<string> {
  const wanted = actions
    .map((action, index) => ({ ...action, width: (buttons[index] ?? 0) + gap, index }))
    .sort((one, other) => Number(other.isAllowed) - Number(one.isAllowed) || one.index - other.index)
  const total = wanted.reduce((sum, { width }) => sum + width, -gap)
  if (total <= available) return new Set(wanted.map(({ code }) => code))
  let left = available - moreButton
  const fitting = new Set<string>()
  for (const { code, width } of wanted) {
    left -= width
    if (left < 0) break
    fitting.add(code)
  }
  return fitting
}

/** Sorts actions by their display order. */
export const inOrder = (actions: readonly DocumentAction[]): readonly DocumentAction[] =>
  [...actions].sort((one, other) => one.order - other.order)
