import { html, nothing, type TemplateResult } from 'lit'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import { daysUntil, formatDate, formatDay, formatDays, formatInDays, isDay } from '../parts/format.ts'
import type { TextsOf } from '../texts.ts'

type Dated = Pick<WorkCenterItem, 'dueAtUtc' | 'dueOn' | 'isOverdue'>

/** Within this number of days, a due date is shown in words. Further dates are easier to read as dates. */
const inWordsDays = 7

/** Renders when a task is due: “Due tomorrow” or “3 days overdue”, with the date as a tooltip. Nothing without a due date. */
export function dueMark(
  { dueAtUtc, dueOn, isOverdue }: Dated,
  texts: TextsOf<'workCenter'>['workCenter'],
): TemplateResult | typeof nothing {
  if (dueAtUtc === null) return nothing
  const due = dueOn ?? dueAtUtc
  const text = dueText({ due, isOverdue }, texts, new Date())
  return html`<time part="badge" class="mark ${isOverdue ? 'danger' : ''}" datetime=${due} title=${dateOf(due)}>${text}</time>`
}

/** Returns the text of a due mark. `due` is a day without a time zone, or an instant. */
export function dueText(
  { due, isOverdue }: { readonly due: string; readonly isOverdue: boolean },
  texts: Pick<TextsOf<'workCenter'>['workCenter'], 'due' | 'overdue'>,
  now: Date,
): string {
  const days = daysUntil(due, now)
  if (isOverdue) return texts.overdue(days < 0 ? formatDays(-days) : null)
  return texts.due(Math.abs(days) <= inWordsDays ? formatInDays(days) : dateOf(due))
}

const dateOf = (due: string): string => (isDay(due) ? formatDate(due) : formatDay(due))
