import type { DocumentAction } from '../../wire/documents.ts'
import type { Answer, AskDialog } from '../parts/ask-dialog.ts'
import type { Texts } from '../texts.ts'

/** Maximum length of a reason, in Unicode code points. */
const maxReasonChars = 1000

/**
 * Shows the action's confirmation dialog, if the action requires one. Resolves with null when the user cancels.
 *
 * @param earlierReason the reason that the user entered for a failed attempt, as the initial text
 */
export async function askAbout(
  dialog: AskDialog | null,
  { kind, confirmation }: DocumentAction,
  { actions: texts }: Texts,
  earlierReason: string,
): Promise<Answer | null> {
  if (confirmation === null || confirmation.mode === 'None') return { reason: null }
  const { mode, ...question } = confirmation
  const reason = {
    label: texts.reason,
    missing: texts.reasonMissing,
    tooLong: texts.reasonTooLong(maxReasonChars),
    maxChars: maxReasonChars,
    value: earlierReason,
  }
  const answer = await dialog?.ask({
    ...question,
    isDangerous: kind === 'Dangerous',
    ...(mode === 'RequireReason' ? { reason } : {}),
  })
  return answer ?? null
}
