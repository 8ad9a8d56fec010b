import { define } from '../define.ts'
import { TakeAction } from '../document-actions/take-action.ts'
import { AskDialog } from '../parts/ask-dialog.ts'
import { ListEnd } from '../parts/list-end.ts'
import { RecipientDialog } from '../team/recipient-dialog.ts'
import { WorkCenterBadge } from './badge.ts'
import { ShortcutsDialog } from './shortcuts-dialog.ts'
import { SnoozeDialog } from './snooze-dialog.ts'
import { WorkCenter } from './work-center.ts'
import { YourTasks } from './your-tasks.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-work-center': WorkCenter
    'vk-work-center-badge': WorkCenterBadge
    'vk-your-tasks': YourTasks
  }
}

/** Registers the elements of the Work Center with the page, and those that they use. Skips tags that are already registered. */
export const defineWorkCenterElements = (): void =>
  define({
    'vk-ask-dialog': AskDialog,
    'vk-list-end': ListEnd,
    'vk-recipient-dialog': RecipientDialog,
    'vk-shortcuts-dialog': ShortcutsDialog,
    'vk-snooze-dialog': SnoozeDialog,
    'vk-take-action': TakeAction,
    'vk-work-center': WorkCenter,
    'vk-work-center-badge': WorkCenterBadge,
    'vk-your-tasks': YourTasks,
  })
