import type { WorkCenterStore } from '../../stores/work-center.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import type { RecipientDialog } from '../team/recipient-dialog.ts'
import { itemText, type TextsOf } from '../texts.ts'
import type { RowVerbs } from './item-row.ts'
import type { RowFocus } from './row-focus.ts'
import type { SnoozeDialog } from './snooze-dialog.ts'

/** Asks for the end of a snooze, with the dialog of the rows. Resolves with null if the user cancels. */
export const askSnooze = (rows: RowFocus, subject: string): Promise<string | null> =>
  rows.asking('vk-snooze-dialog', (dialog: SnoozeDialog) => dialog.ask(subject))

/** The comments of forwards that have failed, by the id of the task. The next user has another store, and never sees them. */
const unsentComments = new WeakMap<WorkCenterStore, Map<string, string | null>>()

/** Returns the changes of a single item. Some ask the user first, with the dialogs of the rows. */
export function itemVerbs(
  store: WorkCenterStore,
  rows: RowFocus,
  { workCenter: texts }: TextsOf<'workCenter'>,
): Omit<RowVerbs, 'link' | 'select'> {
  const snooze = async (item: WorkCenterItem) => {
    const untilUtc = await askSnooze(rows, itemText(item.titleText, item.title))
    if (untilUtc !== null) await store.snooze(item, untilUtc)
  }
  const forward = async (item: WorkCenterItem) => {
    const unsent = unsentComments.get(store) ?? new Map<string, string | null>()
    const question = { title: texts.forward, comment: unsent.get(item.id) ?? '' }
    const choice = await rows.asking('vk-recipient-dialog', (dialog: RecipientDialog) =>
      dialog.askFor([item], question, (q) => store.recipients(item, q)),
    )
    if (choice === null) return
    unsentComments.set(store, unsent.set(item.id, choice.comment))
    await store.forward(item, choice)
    if (store.$rows.get().get(item.id)?.status !== 'failed') unsent.delete(item.id)
  }
  return {
    read: store.read,
    dismiss: store.dismiss,
    claim: store.claim,
    release: store.release,
    snooze,
    forward,
    showNow: (item) => void store.snooze(item, null),
  }
}
