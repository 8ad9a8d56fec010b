import { html, nothing, type TemplateResult } from 'lit'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import { checkIcon, claimIcon, clockIcon, forwardIcon, readIcon, releaseIcon } from '../parts/icons.ts'
import { itemText } from '../texts.ts'
import type { ItemRow, RowVerbs } from './item-row.ts'

type ButtonVerb = Exclude<keyof RowVerbs, 'select' | 'link'>

const icons: Readonly<Record<ButtonVerb, TemplateResult>> = {
  claim: claimIcon,
  release: releaseIcon,
  showNow: clockIcon,
  snooze: clockIcon,
  forward: forwardIcon,
  read: readIcon,
  dismiss: checkIcon,
}

/** Returns whether a task needs no more work, so that it no longer counts as unread. */
export const isDone = ({ taskStatus }: WorkCenterItem): boolean =>
  taskStatus === 'Completed' || taskStatus === 'Cancelled'

/** Returns whether a task is neither completed nor cancelled. */
export const isOpenTask = ({ taskStatus }: WorkCenterItem): boolean =>
  taskStatus === 'Open' || taskStatus === 'InProgress'

/** Returns whether a task belongs to a role and no user has claimed it. */
export const isClaimable = (item: WorkCenterItem): boolean =>
  isOpenTask(item) && item.assignment?.isRoleAssigned === true && item.assignment.claimedByUserId === null

/** Returns whether a user has claimed the task. */
export const isClaimed = (item: WorkCenterItem): boolean =>
  isOpenTask(item) && item.assignment?.claimedByUserId != null

/** The second click of a double click must not reach another button that is now in the same place. */
let clicked: ButtonVerb

/** Renders the buttons that make sense for an item. A row with little room shows their icons only. */
export function rowButtons({ item, row, texts, verbs }: ItemRow): unknown {
  const title = itemText(item.titleText, item.title)
  const isPending = row?.status === 'pending'
  // While a change is pending, use `aria-disabled`, because a disabled button would lose the focus.
  const button = (verb: ButtonVerb) =>
    html`<button
      part="button"
      class="small"
      data-verb=${verb}
      aria-label="${texts[verb]}: ${title}"
      title=${texts[verb]}
      aria-disabled=${isPending}
      @click=${({ detail }: MouseEvent) => {
        if (isPending || (detail > 1 && verb !== clicked)) return
        clicked = verb
        verbs[verb](item)
      }}
    >
      ${icons[verb]} <span class="label">${texts[verb]}</span>
    </button>`
  const isOpen = isOpenTask(item)
  return [
    isClaimable(item) ? button('claim') : nothing,
    isClaimed(item) ? button('release') : nothing,
    isOpen && item.snoozedUntilUtc !== null ? button('showNow') : nothing,
    isOpen ? button('snooze') : nothing,
    isOpen ? button('forward') : nothing,
    item.isRead || isDone(item) ? nothing : button('read'),
    item.kind === 'Task' || item.isDismissed ? nothing : button('dismiss'),
  ]
}
