import type { KitError } from '../../client/kit-error.ts'
import { isOutcomeKnown } from '../../stores/document-actions-intentions.ts'
import type { DocumentAction, ExecutionResult } from '../../wire/documents.ts'
import { isolated } from '../parts/format.ts'
import { actionTexts } from '../service-texts.ts'
import type { TextsOf } from '../texts.ts'
import { inOrder } from './fitting-actions.ts'

/** Returns the label of an action, or its code if the user may not see it. */
export const labelOf = (actions: readonly DocumentAction[], code: string): string =>
  actions.find((action) => action.code === code)?.label ?? code

/** Describes an executed action: its outcome, the document that it created, and the primary action that is possible now. */
export function executedText(
  { actionCode, actions: unnamed, createdDocument, document }: ExecutionResult,
  { actions: texts }: TextsOf<'actions'>,
): string {
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
export const failedText = (label: string, error: KitError, { actions: texts }: TextsOf<'actions'>): string =>
  isUncertain(error) ? texts.uncertain(label) : texts.failed(label)

/** Returns whether the outcome of an action is unknown, and the service did not refuse the request. */
export const isUncertain = (error: KitError): boolean =>
  !isOutcomeKnown(error) && (error.status < 400 || error.status >= 500)

/** Returns the text of an action's button while the action is in progress. */
export const progressText = (
  { code, label }: Pick<DocumentAction, 'code' | 'label'>,
  { actions: texts }: TextsOf<'actions'>,
): string => texts.progress[code] ?? texts.progressOf(label)
