import type { Session } from '../../session/session.ts'
import { type Announcement, feedbackStore } from '../../stores/feedback.ts'
import type { WorkCenterChange } from '../../stores/work-center-batch.ts'
import type { Done, ItemsDone } from '../events.ts'
import { formatInstant } from '../parts/format.ts'
import { errorText, type TextsOf } from '../texts.ts'

const kinds: Readonly<Record<WorkCenterChange['verb'], ItemsDone['kind']>> = {
  read: 'itemsRead',
  unread: 'itemsUnread',
  dismiss: 'itemsDismissed',
  restore: 'itemsRestored',
  claim: 'itemsClaimed',
  release: 'itemsReleased',
  snooze: 'itemsSnoozed',
  forward: 'itemsForwarded',
}

/** Describes a change of the Work Center for `vk-done`. */
export const changeDone = ({ verb, items, changedCount }: WorkCenterChange): Done =>
  items === null ? { kind: 'allItemsRead', count: changedCount } : { kind: kinds[verb], items }

interface ChangeMessage {
  readonly texts: TextsOf<'workCenter'>
  /** Whether the Work Center is in the page. It then shows itself why an undo has failed. */
  isShown(): boolean
}

/** Returns the message about a change, with its undo. */
export function changeMessage(
  session: Session,
  change: WorkCenterChange,
  { texts, isShown }: ChangeMessage,
): Announcement {
  const [until, ...others] = new Set(change.items?.map(({ snoozedUntilUtc }) => snoozedUntilUtc))
  const hasOneEnd = change.verb === 'snooze' && others.length === 0
  const text = texts.workCenter.batchDone({
    ...change,
    until: hasOneEnd ? until && formatInstant(until) : undefined,
  })
  const { undo } = change
  if (undo === null) return { text }
  const run = async () => {
    const error = await undo()
    if (error !== null && !isShown())
      feedbackStore(session).announce({ text: errorText(error), tone: 'failure' })
  }
  return { text, undo: () => void run() }
}
