export { defineAuditTimelineElements } from './define-elements.ts'
export { AuditTimeline } from './timeline.ts'
