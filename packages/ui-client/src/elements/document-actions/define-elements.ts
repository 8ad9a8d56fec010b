import { define } from '../define.ts'
import { AskDialog } from '../parts/ask-dialog.ts'
import { ActionsBar } from './actions-bar.ts'
import { DocumentBatch } from './batch-bar.ts'
import { TakeAction } from './take-action.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-document-actions': ActionsBar
    'vk-document-batch': DocumentBatch
    'vk-take-action': TakeAction
  }
}

/** Registers the elements for document actions with the page, and those that they use. Skips tags that are already registered. */
export const defineDocumentActionsElements = (): void =>
  define({
    'vk-ask-dialog': AskDialog,
    'vk-document-actions': ActionsBar,
    'vk-document-batch': DocumentBatch,
    'vk-take-action': TakeAction,
  })
