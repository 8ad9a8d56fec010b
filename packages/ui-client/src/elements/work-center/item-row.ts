import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { WorkCenterRow } from '../../stores/work-center.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import { formatDate, formatDay, formatInstant, timeOf } from '../parts/format.ts'
import { bellIcon, taskIcon } from '../parts/icons.ts'
import { errorText, type Texts } from '../texts.ts'

/** The functions that the buttons of a row call. */
export interface RowVerbs {
  open(item: WorkCenterItem): void
  read(item: WorkCenterItem): void
  dismiss(item: WorkCenterItem): void
  claim(item: WorkCenterItem): void
  release(item: WorkCenterItem): void
  snooze(item: WorkCenterItem): void
  showNow(item: WorkCenterItem): void
  /** `isRange` extends the selection from the last selected row to this one. */
  select(item: WorkCenterItem, choice: { readonly isSelected: boolean; readonly isRange: boolean }): void
  forward(item: WorkCenterItem): void
}

export interface ItemRow {
  readonly item: WorkCenterItem
  readonly row: WorkCenterRow | undefined
  readonly isSelected: boolean
  /** The user's id in the service. It is null until it is loaded. */
  readonly userId: string | null
  readonly texts: Texts['workCenter']
  readonly verbs: RowVerbs
  /** The button of the primary action, if the item has one. */
  readonly primary: TemplateResult | typeof nothing
}

/** Renders an item with its marks and buttons. */
export function itemRow(of: ItemRow): TemplateResult {
  const { item, row, isSelected, userId, texts, verbs, primary } = of
  const isTask = item.kind === 'Task'
  const { source } = item
  return html`<li class=${item.isRead ? 'read' : 'unread'} data-id=${item.id} tabindex="-1" aria-busy=${row?.status === 'pending'}>
    <input
      type="checkbox"
      aria-label="${texts.select}: ${item.title}"
      .checked=${live(isSelected)}
      @click=${({ target, shiftKey }: MouseEvent) =>
        verbs.select(item, { isSelected: (target as HTMLInputElement).checked, isRange: shiftKey })}
    />
    <span class="icon">
      ${isTask ? taskIcon : bellIcon}
      <span class="visually-hidden">${isTask ? texts.task : texts.notification}${item.isRead ? '' : `, ${texts.isUnread}`}</span>
    </span>
    <div>
      <p class="title"><bdi>${item.title}</bdi></p>
      <p class="text" dir="auto">${item.description}</p>
      <p class="small muted">
        <bdi>${source.title}</bdi>${source.subtitle === null ? nothing : html` · <bdi>${source.subtitle}</bdi>`}
        · ${timeOf(item.sortAtUtc)}
      </p>
      <div class="row marks small">${marks(item, userId, texts)}</div>
    </div>
    <div class="buttons">${primary} ${buttons(item, row, texts, verbs)}</div>
    ${
      row?.status === 'failed'
        ? html`<div class="banner" role="alert"><span>${errorText(row.error)}</span></div>`
        : nothing
    }
  </li>`
}

const mark = (text: string, look = ''): TemplateResult => html`<span class="mark ${look}">${text}</span>`

function marks(item: WorkCenterItem, userId: string | null, texts: Texts['workCenter']): unknown {
  const { priority, severity, dueAtUtc, dueOn, snoozedUntilUtc, taskStatus } = item
  const isDone = taskStatus === 'Completed' || taskStatus === 'Cancelled'
  const claimedBy = item.assignment?.claimedByUserId ?? null
  return [
    priority === 'High' || priority === 'Critical'
      ? mark(texts.priorities[priority], priority === 'High' ? 'warning' : 'danger')
      : nothing,
    priority === 'Low' ? mark(texts.priorities.Low) : nothing,
    severity === null ? nothing : mark(texts.severities[severity], severityLook[severity]),
    dueAtUtc === null
      ? nothing
      : item.isOverdue
        ? mark(texts.overdue(dayOf(dueOn, dueAtUtc)), 'danger')
        : mark(texts.due(dayOf(dueOn, dueAtUtc))),
    // A user never sees open tasks that other users have claimed, so an open claimed task is the user's own task,
    // or that of a user that they substitute.
    item.onBehalfOf === null ? nothing : mark(texts.onBehalfOf(item.onBehalfOf.displayName), 'accent'),
    claimedBy !== null && item.onBehalfOf === null && (!isDone || claimedBy === userId)
      ? mark(texts.mine, 'accent')
      : nothing,
    snoozedUntilUtc === null || isDone
      ? nothing
      : mark(texts.snoozedUntil(formatInstant(snoozedUntilUtc)), 'accent'),
    taskStatus === 'Cancelled' ? mark(texts.cancelled) : nothing,
  ]
}

const dayOf = (day: string | null, instant: string): string =>
  day === null ? formatDay(instant) : formatDate(day)

const severityLook = { Information: '', Success: 'success', Warning: 'warning', Critical: 'danger' } as const

function buttons(
  item: WorkCenterItem,
  row: WorkCenterRow | undefined,
  texts: Texts['workCenter'],
  verbs: RowVerbs,
): unknown {
  const isPending = row?.status === 'pending'
  const isOpenTask = item.taskStatus === 'Open' || item.taskStatus === 'InProgress'
  const isClaimable =
    isOpenTask && item.assignment?.isRoleAssigned && item.assignment.claimedByUserId === null
  // While a change is pending, use `aria-disabled`, because a disabled button would lose the focus.
  const button = (verb: Exclude<keyof RowVerbs, 'select'>, label: string) =>
    html`<button
      class="small"
      data-verb=${verb}
      aria-label="${label}: ${item.title}"
      aria-disabled=${isPending}
      @click=${() => isPending || verbs[verb](item)}
    >
      ${label}
    </button>`
  return [
    item.target === null ? nothing : button('open', texts.open),
    isClaimable ? button('claim', texts.claim) : nothing,
    isOpenTask && item.assignment?.claimedByUserId != null ? button('release', texts.release) : nothing,
    isOpenTask && item.snoozedUntilUtc !== null ? button('showNow', texts.showNow) : nothing,
    isOpenTask ? button('snooze', texts.snooze) : nothing,
    isOpenTask ? button('forward', texts.forward) : nothing,
    item.isRead ? nothing : button('read', texts.read),
    item.kind === 'Task' || item.isDismissed ? nothing : button('dismiss', texts.dismiss),
  ]
}
