import type { Execution } from '../../stores/document-actions.ts'
import type { DocumentAction } from '../../wire/documents.ts'
import type { TextsOf } from '../texts.ts'

/** Returns the label of an action, or its code if the user may not see it. */
export const labelOf = (actions: readonly Pick<DocumentAction, 'code' | 'label'>[], code: string): string =>
  actions.find((action) => action.code === code)?.label ?? code

/** Returns the text of an action's button while the action is in progress. */
export const progressText = (
  { code, label }: Pick<DocumentAction, 'code' | 'label'>,
  { actions: texts }: TextsOf<'actions'>,
): string => texts.progress[code] ?? texts.progressOf(label)

/** Returns the text that describes a running execution to screen readers. */
export function executionStatus(
  execution: Execution,
  actions: readonly DocumentAction[],
  texts: TextsOf<'actions'>,
): string {
  return execution.status === 'executing'
    ? texts.actions.executing(labelOf(actions, execution.actionCode))
    : ''
}
