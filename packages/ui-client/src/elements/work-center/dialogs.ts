import { html, type TemplateResult } from 'lit'
import { dialogParts } from '../parts/exported-parts.ts'

/** The dialogs of a Work Center. */
export const dialogs: TemplateResult = html`<vk-snooze-dialog exportparts=${dialogParts}></vk-snooze-dialog>
  <vk-recipient-dialog exportparts=${dialogParts}></vk-recipient-dialog>
  <vk-shortcuts-dialog exportparts=${dialogParts}></vk-shortcuts-dialog>`
