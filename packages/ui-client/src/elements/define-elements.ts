import { AttachmentsPanel } from './attachments/attachments-panel.ts'
import { DropZone } from './attachments/drop-zone.ts'
import { Thumbnail } from './attachments/thumbnail.ts'
import { UploadsNotice } from './attachments/uploads-notice.ts'
import { AuditTimeline } from './audit-timeline/timeline.ts'
import { ActionsBar } from './document-actions/actions-bar.ts'
import { DocumentBatch } from './document-actions/batch-bar.ts'
import { TakeAction } from './document-actions/take-action.ts'
import { Toasts } from './feedback/toasts.ts'
import { FollowButton } from './live-object/follow-button.ts'
import { LiveObject } from './live-object/live-object.ts'
import { NotesPanel } from './notes/notes-panel.ts'
import { AskDialog } from './parts/ask-dialog.ts'
import { ListEnd } from './parts/list-end.ts'
import { PreferencesPanel } from './preferences/preferences-panel.ts'
import { RecipientDialog } from './team/recipient-dialog.ts'
import { SubstitutionForm } from './team/substitution-form.ts'
import { TeamTasks } from './team/team-tasks.ts'
import { WorkCenterBadge } from './work-center/badge.ts'
import { ShortcutsDialog } from './work-center/shortcuts-dialog.ts'
import { SnoozeDialog } from './work-center/snooze-dialog.ts'
import { WorkCenter } from './work-center/work-center.ts'
import { YourTasks } from './work-center/your-tasks.ts'

/** All elements, by tag name. */
const elements: Readonly<Record<string, CustomElementConstructor>> = {
  'vk-ask-dialog': AskDialog,
  'vk-attachments': AttachmentsPanel,
  'vk-audit-timeline': AuditTimeline,
  'vk-document-actions': ActionsBar,
  'vk-document-batch': DocumentBatch,
  'vk-drop-zone': DropZone,
  'vk-follow': FollowButton,
  'vk-list-end': ListEnd,
  'vk-live-object': LiveObject,
  'vk-notes': NotesPanel,
  'vk-preferences': PreferencesPanel,
  'vk-recipient-dialog': RecipientDialog,
  'vk-shortcuts-dialog': ShortcutsDialog,
  'vk-snooze-dialog': SnoozeDialog,
  'vk-substitution': SubstitutionForm,
  'vk-team-tasks': TeamTasks,
  'vk-take-action': TakeAction,
  'vk-thumbnail': Thumbnail,
  'vk-toasts': Toasts,
  'vk-uploads': UploadsNotice,
  'vk-work-center': WorkCenter,
  'vk-work-center-badge': WorkCenterBadge,
  'vk-your-tasks': YourTasks,
}

declare global {
  interface HTMLElementTagNameMap {
    'vk-attachments': AttachmentsPanel
    'vk-audit-timeline': AuditTimeline
    'vk-document-actions': ActionsBar
    'vk-document-batch': DocumentBatch
    'vk-follow': FollowButton
    'vk-live-object': LiveObject
    'vk-notes': NotesPanel
    'vk-preferences': PreferencesPanel
    'vk-take-action': TakeAction
    'vk-substitution': SubstitutionForm
    'vk-team-tasks': TeamTasks
    'vk-toasts': Toasts
    'vk-uploads': UploadsNotice
    'vk-work-center': WorkCenter
    'vk-work-center-badge': WorkCenterBadge
    'vk-your-tasks': YourTasks
  }
}

/** Registers all elements with the page. Skips tags that are already registered. */
export function defineElements(): void {
  for (const [tag, element] of Object.entries(elements)) {
    if (customElements.get(tag) === undefined) customElements.define(tag, element)
  }
}
