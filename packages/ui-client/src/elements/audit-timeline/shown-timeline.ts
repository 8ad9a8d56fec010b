import type { TimelineFilters } from '../../stores/audit-timeline.ts'

/** The filters of a timeline as the user enters them: days of the user's time zone instead of instants. */
export interface ShownTimelineFilters extends Omit<TimelineFilters, 'type' | 'fromUtc' | 'untilUtc'> {
  /** `details`: the changes of the object, with technical entries. */
  readonly type?: TimelineFilters['type'] | 'details'
  /** `2026-11-01`: the first day. */
  readonly from?: string | undefined
  /** The last day. */
  readonly to?: string | undefined
}

/** The selected filters of a timeline. A page can store them in its URL. */
export interface ShownTimeline {
  readonly filters: ShownTimelineFilters
}
