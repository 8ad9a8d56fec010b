import { onDemand, preload } from '../client/on-demand.ts'
import type { BatchVerb, WorkCenterItem } from '../wire/work-center.ts'
import { outcome } from './store.ts'
import type { WorkCenterStore, WorkCenterVerb } from './work-center.ts'
import type { Batches } from './work-center-batch.ts'
import type { ItemChange, VerbsInput, WorkCenterVerbs } from './work-center-verbs.ts'

/** The changes that the user makes to items. */
export interface Changes {
  readonly batches: Batches
  /** Changes one item. Does nothing while another change of it is running. */
  act(item: WorkCenterItem, change: ItemChange): Promise<void>
  /** Loads the recipients of a task, like {@link WorkCenterStore.recipients}. */
  readonly recipients: WorkCenterStore['recipients']
}

const workCenterVerbs = onDemand(() => import('./work-center-verbs.ts'))

/** Shows each change at once, and sends it as soon as the part that sends changes is loaded. */
export function createChanges(input: VerbsInput & { isBusy(item: WorkCenterItem): boolean }): Changes {
  const { session, signal, lists, $batch, setBatch, setRow, isBusy } = input
  let verbs: WorkCenterVerbs | null = null
  preload(workCenterVerbs)

  const load = () =>
    outcome(
      session.signal,
      workCenterVerbs.load().then(({ openVerbs }) => {
        verbs ??= openVerbs(input)
        return verbs
      }),
    )
  const isPending = () => signal.aborted || $batch.get()?.status === 'pending'
  const inRow = async <T>(
    item: WorkCenterItem,
    verb: WorkCenterVerb,
    send: (verbs: WorkCenterVerbs) => Promise<T>,
  ) => {
    if (isBusy(item)) return null
    setRow(item.id, { status: 'pending', verb })
    const loaded = await load()
    if (loaded === null) return null
    if ('value' in loaded) return send(loaded.value)
    setRow(item.id, { status: 'failed', verb, error: loaded.error })
    return loaded
  }
  const begin = async (
    { verb, count }: { readonly verb: BatchVerb; readonly count: number },
    send: (verbs: WorkCenterVerbs) => Promise<void>,
  ): Promise<void> => {
    setBatch({ status: 'pending', verb, count })
    const loaded = await load()
    if (loaded === null) return
    if ('value' in loaded) await send(loaded.value)
    else setBatch({ status: 'failed', verb, error: loaded.error })
  }

  return {
    async act(item, change) {
      const verb = change.verb === 'visit' ? 'read' : change.verb
      await inRow(item, verb, (all) => all.act(item, change))
    },
    async recipients(item, q) {
      if (q !== undefined) return outcome(signal, session.client.team.recipients(item.id, { q, signal }))
      return inRow(item, 'forward', (all) => all.recipients(item))
    },
    batches: {
      $batch,
      async change(verb, items, untilUtc = null) {
        if (isPending() || items.length === 0) return
        await begin({ verb, count: items.length }, (all) => all.change(verb, items, untilUtc))
      },
      record(...change) {
        void load().then((loaded) => loaded !== null && 'value' in loaded && loaded.value.record(...change))
      },
      async undo() {
        return isPending() || ((await verbs?.undo()) ?? false)
      },
      async readAll() {
        const seen = lists.seen()
        if (isPending() || seen === null) return
        await begin({ verb: 'read', count: 0 }, (all) => all.readAll(seen))
      },
      close() {
        if (!isPending()) setBatch(null)
      },
    },
  }
}
