import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { WorkCenterRow } from '../../stores/work-center.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import { formatInstant, shortTimeOf } from '../parts/format.ts'
import { bellIcon, taskIcon } from '../parts/icons.ts'
import { errorText, itemText, type TextsOf } from '../texts.ts'
import { dueMark } from './due-mark.ts'
import { isDone, rowButtons } from './row-buttons.ts'

/** The functions that the buttons of a row call. */
export interface RowVerbs {
  /** Renders the title of an item with a target as a link to it. */
  link(item: WorkCenterItem): TemplateResult
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
  readonly texts: TextsOf<'workCenter'>['workCenter']
  readonly verbs: RowVerbs
  /** The button of the primary action, if the item has one. */
  readonly primary: TemplateResult | typeof nothing
}

/** Renders the title of an item, with a tooltip because a compact row can cut it off. */
export function titleOf(item: WorkCenterItem): TemplateResult {
  const title = itemText(item.titleText, item.title)
  return html`<bdi title=${title}>${title}</bdi>`
}

/** Renders an item with its marks and buttons. */
export function itemRow(of: ItemRow): TemplateResult {
  const { item, row, isSelected, userId, texts, verbs, primary } = of
  const isTask = item.kind === 'Task'
  const { source } = item
  const title = itemText(item.titleText, item.title)
  const isUnread = !item.isRead && !isDone(item)
  return html`<li
    part="row"
    class="${isUnread ? 'unread' : 'read'} ${isSelected ? 'selected' : ''}"
    data-id=${item.id}
    tabindex="-1"
    aria-busy=${row?.status === 'pending'}
  >
    <div class="item">
      <input
        part="checkbox"
        type="checkbox"
        aria-label="${texts.select}: ${title}"
        .checked=${live(isSelected)}
        @click=${({ target, shiftKey }: MouseEvent) =>
          verbs.select(item, { isSelected: (target as HTMLInputElement).checked, isRange: shiftKey })}
      />
      <span class="icon">
        ${isTask ? taskIcon : bellIcon}
        <span class="visually-hidden">${isTask ? texts.task : texts.notification}${isUnread ? `, ${texts.isUnread}` : ''}</span>
      </span>
      <div class="main">
        <p part="row-title" class="title">${item.target === null ? titleOf(item) : verbs.link(item)}</p>
        <div part="row-details" class="about small muted">
          ${marks(item, userId, texts)}
          <span class="source"
            ><bdi>${source.title}</bdi>${source.subtitle === null ? nothing : html` · <bdi>${source.subtitle}</bdi>`}</span
          >
          <bdi class="text">${itemText(item.descriptionText, item.description)}</bdi>
          ${shortTimeOf(item.sortAtUtc)}
        </div>
        ${
          row?.status === 'failed'
            ? html`<div part="error" class="banner" role="alert"><span>${errorText(row.error)}</span></div>`
            : nothing
        }
      </div>
    </div>
    <div part="row-actions" class="buttons">${primary}${rowButtons(of)}</div>
  </li>`
}

const mark = (text: string, look = ''): TemplateResult =>
  html`<span part="badge" class="mark ${look}">${text}</span>`

function marks(
  item: WorkCenterItem,
  userId: string | null,
  texts: TextsOf<'workCenter'>['workCenter'],
): unknown {
  const { priority, severity, snoozedUntilUtc, taskStatus } = item
  const claimedBy = item.assignment?.claimedByUserId ?? null
  return [
    priority === null || priority === 'Normal'
      ? nothing
      : mark(texts.priorities[priority], priorityLook[priority]),
    severity === null ? nothing : mark(texts.severities[severity], severityLook[severity]),
    dueMark(item, texts),
    // A user never sees open tasks that other users have claimed, so an open claimed task is the user's own task,
    // or that of a user that they substitute.
    item.onBehalfOf === null ? nothing : mark(texts.onBehalfOf(item.onBehalfOf.displayName), 'accent'),
    claimedBy !== null && item.onBehalfOf === null && (!isDone(item) || claimedBy === userId)
      ? mark(texts.mine, 'accent')
      : nothing,
    snoozedUntilUtc === null || isDone(item)
      ? nothing
      : mark(texts.snoozedUntil(formatInstant(snoozedUntilUtc)), 'accent'),
    taskStatus === 'Cancelled' ? mark(texts.cancelled) : nothing,
  ]
}

const priorityLook = { Low: '', High: 'warning', Critical: 'danger' } as const
const severityLook = { Information: '', Success: 'success', Warning: 'warning', Critical: 'danger' } as const
