import type { DocumentActionsStore, ExecutionOutcome } from '../../stores/document-actions.ts'
import type { DocumentAction, EditorState, ExecutionResult } from '../../wire/documents.ts'
import type { AskDialog } from '../parts/ask-dialog.ts'
import { errorText } from '../texts.ts'
import { askAbout } from './action-question.ts'
import { type CollectPayload, payloadFor } from './collect-payload.ts'
import { executedText, failedText } from './execution-text.ts'
import { previewOf, previewText } from './preview-text.ts'

export { executionBanner } from './execution-banner.ts'

/** The input of an action that the user has confirmed. */
export interface ActionInput {
  readonly payload: unknown
  readonly reason: string | null
}

export interface Asking {
  readonly store: DocumentActionsStore
  readonly action: DocumentAction
  /** The document that the user decides about. */
  readonly state: EditorState
  readonly collectPayload: CollectPayload | undefined
  readonly dialog: AskDialog | null
  /** The reason that the user entered for a failed attempt. */
  readonly earlierReason?: string
  /** Whether the element still shows the document. */
  isWanted(): boolean
}

/** Collects the payload of an action, and asks the user. Resolves with null when the user cancels. */
export async function askForInput(asking: Asking): Promise<ActionInput | null> {
  const { store, action, state, collectPayload, dialog, earlierReason = '' } = asking
  const payload = await payloadFor(collectPayload, { action, document: state.document, store })
  if (payload === null || !asking.isWanted()) return null
  const answer = await askAbout(dialog, action, {
    earlierReason,
    preview: async (signal) => previewText(await previewOf(store, action, { payload, signal }), state),
  })
  return answer && { payload, ...answer }
}

/** The message about an execution that has ended, and its result after a success. */
export interface ExecutionMessage {
  readonly text: string
  readonly result: ExecutionResult | null
}

/** Describes the outcome of an execution. */
export const executionMessage = (ended: ExecutionOutcome, label: string): ExecutionMessage =>
  'error' in ended
    ? { text: `${failedText(label, ended.error)} ${errorText(ended.error)}`, result: null }
    : { text: executedText(ended.value), result: ended.value }
