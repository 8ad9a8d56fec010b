export { defineAuditTimelineElements } from './define-elements.ts'
export type { ShownTimeline, ShownTimelineFilters } from './shown-timeline.ts'
export { AuditTimeline } from './timeline.ts'
