import { defineAttachmentsElements } from './attachments/define-elements.ts'
import { defineAuditTimelineElements } from './audit-timeline/define-elements.ts'
import { defineDocumentActionsElements } from './document-actions/define-elements.ts'
import { defineFeedbackElements } from './feedback/define-elements.ts'
import { defineLiveObjectElements } from './live-object/define-elements.ts'
import { defineNotesElements } from './notes/define-elements.ts'
import { definePreferencesElements } from './preferences/define-elements.ts'
import { defineTeamElements } from './team/define-elements.ts'
import { defineWorkCenterElements } from './work-center/define-elements.ts'

/** Registers all elements with the page, except those for administrators. Skips tags that are already registered. */
export function defineElements(): void {
  defineAttachmentsElements()
  defineAuditTimelineElements()
  defineDocumentActionsElements()
  defineFeedbackElements()
  defineLiveObjectElements()
  defineNotesElements()
  definePreferencesElements()
  defineTeamElements()
  defineWorkCenterElements()
}
