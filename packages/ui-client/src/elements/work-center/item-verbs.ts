import type { WorkCenterStore } from '../../stores/work-center.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import type { RecipientDialog } from '../team/recipient-dialog.ts'
import { itemText, type TextsOf } from '../texts.ts'
import type { RowVerbs } from './item-row.ts'
import type { SnoozeDialog } from './snooze-dialog.ts'

/** Asks for the end of a snooze, with the dialog in `root`. Resolves with null if the user cancels. */
export const askSnooze = async (root: ParentNode, subject: string): Promise<string | null> =>
  (await root.querySelector<SnoozeDialog>('vk-snooze-dialog')?.ask(subject)) ?? null

/** Returns the changes of a single item. Some ask the user first, with the dialogs in `root`. */
export function itemVerbs(
  store: WorkCenterStore,
  root: ParentNode,
  { workCenter: texts }: TextsOf<'workCenter'>,
): Omit<RowVerbs, 'link' | 'select'> {
  const snooze = async (item: WorkCenterItem) => {
    const untilUtc = await askSnooze(root, itemText(item.titleText, item.title))
    if (untilUtc !== null) await store.snooze(item, untilUtc)
  }
  const forward = async (item: WorkCenterItem) => {
    const dialog = root.querySelector<RecipientDialog>('vk-recipient-dialog')
    const choice = await dialog?.askFor([item], { title: texts.forward, hasComment: true }, (q) =>
      store.recipients(item, q),
    )
    if (choice != null) await store.forward(item, choice)
  }
  return {
    read: (item) => void store.read(item),
    dismiss: (item) => void store.dismiss(item),
    claim: (item) => void store.claim(item),
    release: (item) => void store.release(item),
    snooze: (item) => void snooze(item),
    forward: (item) => void forward(item),
    showNow: (item) => void store.snooze(item, null),
  }
}
