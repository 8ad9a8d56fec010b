import type { DocumentAction } from '../../wire/documents.ts'
import type { Answer, AskDialog } from '../parts/ask-dialog.ts'
import type { Texts } from '../texts.ts'

/** Of a reason, in Unicode code points. */
const maxReasonChars = 1000

/**
 * Asks what an action has to be asked, if anything. Resolves with null when the person thinks better of it.
 *
 * @param earlierReason what was given before and did not get through: not to be written again
 */
export async function askAbout(
  dialog: AskDialog | null,
  { kind, confirmation }: DocumentAction,
  { actions: words }: Texts,
  earlierReason: string,
): Promise<Answer | null> {
  if (confirmation === null || confirmation.mode === 'None') return { reason: null }
  const { mode, ...question } = confirmation
  const reason = {
    label: words.reason,
    missing: words.reasonMissing,
    tooLong: words.reasonTooLong(maxReasonChars),
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
