export { ActionsBar, type CollectPayload } from './actions-bar.ts'
export { type BatchAction, type BatchSelection, DocumentBatch } from './batch-bar.ts'
export { defineDocumentActionsElements } from './define-elements.ts'
export { TakeAction } from './take-action.ts'
