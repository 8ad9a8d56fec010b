import type { WorkCenterStore } from '../../stores/work-center.ts'
import type { BatchVerb, Tab } from '../../wire/work-center.ts'
import type { TextsOf } from '../texts.ts'
import { fitting } from './bulk-bar.ts'
import { askSnooze } from './item-verbs.ts'

interface Shown {
  readonly tab: Tab
  /** The root with the dialogs. */
  readonly root: ParentNode
  readonly texts: TextsOf<'workCenter'>
}

/**
 * Resolves with a function that changes the selected items for which the verb makes sense, or with null when the user cancels.
 * Items that fail stay selected.
 */
export async function selectedChange(
  store: WorkCenterStore,
  verb: BatchVerb,
  { tab, root, texts }: Shown,
): Promise<(() => Promise<void>) | null> {
  const selected = store.$selected.get()
  const items = fitting(
    verb,
    store.$lists[tab].get().items.filter(({ id }) => selected.has(id)),
  )
  const until = verb === 'snooze' ? await askSnooze(root, texts.workCenter.severalItems(items.length)) : null
  return verb === 'snooze' && until === null ? null : () => store.batches.change(verb, items, until)
}
