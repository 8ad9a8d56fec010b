import type { KitError } from '../../client/kit-error.ts'
import { isOutcomeKnown } from '../../stores/document-actions-intentions.ts'
import type { ExecutionResult } from '../../wire/documents.ts'
import { isolated } from '../parts/format.ts'
import { actionTexts } from '../service-texts.ts'
import { labelOf } from './execution-status.ts'
import { inOrder } from './fitting-actions.ts'
import { runTextsNow } from './run-texts.ts'

/** Describes an executed action: its outcome, the document that it created, and the primary action that is possible now. */
export function executedText({
  actionCode,
  actions: unnamed,
  createdDocument,
  document,
}: ExecutionResult): string {
  const texts = runTextsNow()
  const actions = unnamed.map((action) => actionTexts(action, document.typeCode))
  const next = inOrder(actions).find(({ kind, isAllowed }) => kind === 'Primary' && isAllowed)
  const sentences = [
    texts.completed[actionCode] ?? texts.done(labelOf(actions, actionCode)),
    createdDocument && texts.created(isolated(createdDocument.display)),
    next && texts.next(next.label),
  ]
  return sentences.filter((sentence) => sentence != null).join(' ')
}

/** Returns the sentence about a failed action. After a failure with an unknown outcome, the action may have been executed. */
export const failedText = (label: string, error: KitError): string =>
  isUncertain(error) ? runTextsNow().uncertain(label) : runTextsNow().failed(label)

/** Returns whether an action may have been executed, or is still running, although the request failed. */
export const isUncertain = (error: KitError): boolean =>
  !isOutcomeKnown(error) &&
  (error.status < 400 || error.status >= 500 || error.code === 'document_action.in_progress')
