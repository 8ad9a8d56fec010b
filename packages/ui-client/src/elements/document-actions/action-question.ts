import type { DocumentAction } from '../../wire/documents.ts'
import type { Answer, AskDialog, PreviewText } from '../parts/ask-dialog.ts'
import { runTextsNow } from './run-texts.ts'

/** Maximum length of a reason, in Unicode code points. */
const maxReasonChars = 1000

/** The optional parts of a confirmation. */
export interface QuestionParts {
  /** The reason that the user entered for a failed attempt, as the initial text. */
  readonly earlierReason?: string
  /** Starts the preview, which ends with the dialog. Not called for an action without a confirmation. */
  readonly preview?: ((signal: AbortSignal) => Promise<PreviewText | null>) | undefined
}

/**
 * Shows the action's confirmation dialog, if the action requires one. Resolves with null when the user cancels.
 */
export async function askAbout(
  dialog: AskDialog | null,
  { kind, confirmation }: Pick<DocumentAction, 'kind' | 'confirmation'>,
  { earlierReason = '', preview }: QuestionParts = {},
): Promise<Answer | null> {
  if (confirmation === null || confirmation.mode === 'None') return { reason: null }
  const { mode, ...question } = confirmation
  const texts = runTextsNow()
  const reason = {
    label: texts.reason,
    missing: texts.reasonMissing,
    tooLong: texts.reasonTooLong(maxReasonChars),
    maxChars: maxReasonChars,
    value: earlierReason,
  }
  const closed = new AbortController()
  const answer = await dialog?.ask({
    ...question,
    isDangerous: kind === 'Dangerous',
    ...(mode === 'RequireReason' ? { reason } : {}),
    ...(preview === undefined ? {} : { preview: preview(closed.signal) }),
  })
  // A dry run that reached the service after the action would be refused.
  closed.abort()
  return answer ?? null
}
