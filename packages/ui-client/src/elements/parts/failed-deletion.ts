import type { Session } from '../../session/session.ts'
import type { Deletion } from '../../stores/deletions.ts'
import { feedbackStore } from '../../stores/feedback.ts'
import { errorText } from '../texts.ts'

/** Shows the failure of a deletion as a message, unless its row shows it: the user may have left the panel before. */
export async function reportFailure(
  session: Session,
  { ended }: Deletion,
  { text, isRowShown }: { readonly text: string; readonly isRowShown: () => boolean },
): Promise<void> {
  const state = await ended
  if (state?.status !== 'failed' || isRowShown()) return
  feedbackStore(session).announce({ text: `${text} ${errorText(state.error)}`, tone: 'failure' })
}
