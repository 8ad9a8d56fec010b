import { define } from '../define.ts'
import { AskDialog } from '../parts/ask-dialog.ts'
import { ListEnd } from '../parts/list-end.ts'
import { AttachmentsPanel } from './attachments-panel.ts'
import { DropZone } from './drop-zone.ts'
import { UploadsNotice } from './uploads-notice.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-attachments': AttachmentsPanel
    'vk-uploads': UploadsNotice
  }
}

/** Registers the elements for files with the page, and those that they use. Skips tags that are already registered. */
export const defineAttachmentsElements = (): void =>
  define({
    'vk-ask-dialog': AskDialog,
    'vk-attachments': AttachmentsPanel,
    'vk-drop-zone': DropZone,
    'vk-list-end': ListEnd,
    'vk-uploads': UploadsNotice,
  })
