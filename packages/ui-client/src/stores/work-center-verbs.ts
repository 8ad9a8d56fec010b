import type { KitError } from '../client/kit-error.ts'
import type { Recipient } from '../client/team.ts'
import type { Session } from '../session/session.ts'
import type { WorkCenterItem } from '../wire/work-center.ts'
import { outcome } from './store.ts'
import type { RecipientsOutcome } from './team-tasks.ts'
import type { WorkCenterNotice, WorkCenterRow, WorkCenterVerb } from './work-center.ts'
import { type BatchChanges, type BatchesOptions, createBatches } from './work-center-batch.ts'
import { openCorrections } from './work-center-corrections.ts'
import type { WorkCenterLists } from './work-center-lists.ts'

export interface VerbsInput extends BatchesOptions {
  readonly lists: WorkCenterLists
  setRow(id: string, row: WorkCenterRow | null): void
  setNotice(notice: WorkCenterNotice | null): void
  /** Loads the counts and the shown tab. */
  refresh(): Promise<void>
}

/** A change of one item. `visit` marks an item as read because the user has opened it. The user cannot undo that. */
export type ItemChange =
  | { readonly verb: 'read' | 'visit' | 'dismiss' | 'claim' | 'release' }
  | { readonly verb: 'snooze'; readonly untilUtc: string | null }
  | { readonly verb: 'forward'; readonly to: Recipient; readonly comment: string | null }

/** The verb that the row of an item shows. */
const shownVerb = ({ verb }: ItemChange): WorkCenterVerb => (verb === 'visit' ? 'read' : verb)

/** Sends the changes of items. The store shows a row as pending before it calls a method. */
export interface WorkCenterVerbs extends BatchChanges {
  act(item: WorkCenterItem, change: ItemChange): Promise<void>
  /** Loads the recipients of a task. */
  recipients(task: WorkCenterItem): Promise<RecipientsOutcome>
}

export function openVerbs(input: VerbsInput): WorkCenterVerbs {
  const { session, signal, lists, setRow } = input
  const settle = openCorrections(lists)
  const batches = createBatches(input, settle)

  const lost = async (item: WorkCenterItem, to: 'claimed' | 'gone'): Promise<void> => {
    setRow(item.id, null)
    settle([[item.id, null]])
    await input.refresh()
    if (signal.aborted) return
    const reason = lists.isShown(item.id) ? 'changed' : to
    input.setNotice({ reason, item })
  }
  /** Shows why a change has failed, or removes the row if the user has lost the item. */
  const failed = async (verb: WorkCenterVerb, item: WorkCenterItem, error: KitError): Promise<void> => {
    const { code } = error
    if (code === 'work_center.task_claim_conflict') return lost(item, 'claimed')
    if (code === 'work_center.item_not_found' || code === 'work_center.not_claimed') return lost(item, 'gone')
    setRow(item.id, { status: 'failed', verb, error })
  }
  return {
    ...batches,
    async recipients(task) {
      const result = await outcome(signal, session.client.team.recipients(task.id, { signal }))
      if (result === null) return null
      if ('error' in result) await failed('forward', task, result.error)
      else setRow(task.id, null)
      return result
    },
    async act(item, change) {
      const result = await outcome(session.signal, send(session, item, change))
      if (result === null) return
      if ('value' in result) {
        const after = result.value ?? null
        if (!signal.aborted) {
          setRow(item.id, null)
          settle([[item.id, after]])
        }
        if (change.verb !== 'visit') batches.record(change.verb, item, after)
        // Also if this store has ended: other stores show the change.
        return session.announce({ kind: 'workCenter' })
      }
      if (!signal.aborted) await failed(shownVerb(change), item, result.error)
    },
  }
}

/** Sends a change. With the session's signal, it continues after the user has left the view. */
function send(
  { client: { workCenter, team }, signal }: Session,
  item: WorkCenterItem,
  change: ItemChange,
): Promise<WorkCenterItem | null | undefined> {
  const { kind, id, version } = item
  switch (change.verb) {
    case 'read':
    case 'visit':
      return kind === 'Task'
        ? workCenter.readTask(id, { signal })
        : workCenter.readNotification(id, { signal })
    case 'dismiss':
      return workCenter.dismissNotification(id, { signal })
    case 'claim':
      return workCenter.claimTask(id, version, { signal })
    case 'release':
      return workCenter.releaseTask(id, version, { signal })
    case 'snooze':
      return workCenter.snoozeTask(id, change.untilUtc, { signal })
    case 'forward':
      return team.forward(item, change, { signal })
  }
}
