import type { KitError } from '../client/kit-error.ts'
import { onDemand, preload } from '../client/on-demand.ts'
import type { BatchVerb, WorkCenterItem } from '../wire/work-center.ts'
import { outcome } from './store.ts'
import type { WorkCenterVerb } from './work-center.ts'
import type { Batches } from './work-center-batch.ts'
import type { ItemChange, VerbsInput, WorkCenterVerbs } from './work-center-verbs.ts'

/** The changes that the user makes to items. */
export interface Changes {
  readonly batches: Batches
  /** Changes one item. Does nothing while another change of it is running. */
  act(item: WorkCenterItem, change: ItemChange): Promise<void>
  /** Shows why a change has failed, or removes the row if the user has lost the item. */
  failed(verb: WorkCenterVerb, item: WorkCenterItem, error: KitError): Promise<void>
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
      if (isBusy(item)) return
      const verb = change.verb === 'visit' ? 'read' : change.verb
      setRow(item.id, { status: 'pending', verb })
      const loaded = await load()
      if (loaded === null) return
      if ('value' in loaded) await loaded.value.act(item, change)
      else setRow(item.id, { status: 'failed', verb, error: loaded.error })
    },
    async failed(verb, item, error) {
      const loaded = await load()
      if (loaded !== null && 'value' in loaded) await loaded.value.failed(verb, item, error)
      else setRow(item.id, { status: 'failed', verb, error })
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
        if (!isPending()) await verbs?.undo()
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
