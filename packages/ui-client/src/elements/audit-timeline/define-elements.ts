import { define } from '../define.ts'
import { ListEnd } from '../parts/list-end.ts'
import { AuditTimeline } from './timeline.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-audit-timeline': AuditTimeline
  }
}

/** Registers the elements for the history with the page, and those that they use. Skips tags that are already registered. */
export const defineAuditTimelineElements = (): void =>
  define({
    'vk-audit-timeline': AuditTimeline,
    'vk-list-end': ListEnd,
  })
