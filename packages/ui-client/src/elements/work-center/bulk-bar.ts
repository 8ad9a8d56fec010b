import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { maxBatch } from '../../stores/work-center.ts'
import type { WorkCenterBatch } from '../../stores/work-center-batch.ts'
import type { BatchVerb, WorkCenterItem } from '../../wire/work-center.ts'
import { singleClick } from '../parts/single-click.ts'
import type { TextsOf } from '../texts.ts'
import { isClaimable, isClaimed, isDone, isOpenTask } from './row-buttons.ts'

export interface BulkBar {
  readonly items: readonly WorkCenterItem[]
  readonly selected: ReadonlySet<string>
  readonly batch: WorkCenterBatch | null
  readonly texts: TextsOf<'workCenter'>['workCenter']
  selectAll(): void
  selectNone(): void
  change(verb: BatchVerb): void
  readAll(): void
}

/** The changes of a selection, and the items for which each of them makes sense. */
const offered: Readonly<Partial<Record<BatchVerb, (item: WorkCenterItem) => boolean>>> = {
  read: ({ isRead }) => !isRead,
  unread: ({ isRead }) => isRead,
  dismiss: ({ kind }) => kind === 'Notification',
  claim: isClaimable,
  release: isClaimed,
  snooze: isOpenTask,
}

/** Returns the selected items for which a change makes sense. Completed tasks are never shown as unread. */
export const fitting = (verb: BatchVerb, items: readonly WorkCenterItem[]): readonly WorkCenterItem[] =>
  items.filter((item) => offered[verb]?.(item) && !isDone(item))

/** Renders the selection of all rows, and the changes of the selected ones. */
export function bulkBar({
  items,
  selected,
  batch,
  texts,
  ...verbs
}: BulkBar): TemplateResult | typeof nothing {
  if (items.length === 0 && batch?.status !== 'pending') return nothing
  const chosen = items.filter(({ id }) => selected.has(id))
  const isPending = batch?.status === 'pending'
  // While a change is pending, use `aria-disabled`, because a disabled button would lose the focus.
  const button = (name: string, label: string, run: () => void) =>
    html`<button part="button" class="small" data-bulk=${name} aria-disabled=${isPending} @click=${singleClick(() => isPending || run())}>
      ${label}
    </button>`
  return html`<div class="bulk row" role="group" aria-label=${texts.bulk}>
    <label>
      <input
        part="checkbox"
        id="select-all"
        type="checkbox"
        .checked=${live(chosen.length === items.length && items.length > 0)}
        .indeterminate=${live(chosen.length > 0 && chosen.length < items.length)}
        @change=${({ target }: Event) =>
          // With more rows, the box is never checked, so it must clear a full selection.
          (target as HTMLInputElement).checked && chosen.length < maxBatch
            ? verbs.selectAll()
            : verbs.selectNone()}
      />
      ${chosen.length === 0 ? texts.selectAll : texts.selected(chosen.length)}
    </label>
    ${
      chosen.length === 0
        ? items.length > 0 && items.every(isDone)
          ? nothing
          : button('read-all', texts.readAll, () => verbs.readAll())
        : // Each change has its own place: otherwise, a refresh of the list could give the focused button another one.
          (Object.keys(offered) as (keyof typeof offered & BatchVerb)[]).map((verb) =>
            fitting(verb, chosen).length > 0 ? button(verb, texts[verb], () => verbs.change(verb)) : nothing,
          )
    }
  </div>`
}
