import type { DocumentAction } from '../../wire/documents.ts'

/** The room there is for the actions' buttons, in CSS pixels. */
export interface BarRoom {
  readonly available: number
  readonly gap: number
  readonly moreButton: number
  /** By the actions' order. */
  readonly buttons: readonly number[]
}

/**
 * Which actions have a button of their own; the others are behind "More". Those that can be executed now come first, then
 * those the vertical has put first. All of them when there is room for all.
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

/** In the order in which they are shown. */
export const inOrder = (actions: readonly DocumentAction[]): readonly DocumentAction[] =>
  [...actions].sort((one, other) => one.order - other.order)
