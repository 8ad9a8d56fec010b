/** A click on the checkbox of a row. */
export interface RowChoice {
  readonly id: string
  readonly isSelected: boolean
  /** Whether the click applies to all rows from the last clicked row to this one. */
  readonly isRange: boolean
}

/** Returns the selection after a click. `ids` are the rows in their order; `anchor` is the last clicked row. */
export function selectionAfter(
  selected: ReadonlySet<string>,
  { id, isSelected, isRange }: RowChoice,
  { ids, anchor }: { readonly ids: readonly string[]; readonly anchor: string | null },
): ReadonlySet<string> {
  const to = ids.indexOf(id)
  const from = isRange && anchor !== null && ids.includes(anchor) ? ids.indexOf(anchor) : to
  const range = ids.slice(Math.min(from, to), Math.max(from, to) + 1)
  const rest = [...selected].filter((one) => !range.includes(one))
  return new Set(isSelected ? [...rest, ...range] : rest)
}
