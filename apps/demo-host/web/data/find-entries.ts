import type { Page } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { endpointOf, type ListDefinition } from '../lists.ts'
import type { Desk } from './desk.ts'
import type { Entry } from './entries.ts'
import { typingMs } from './list-query.ts'

/** An entry that a search in several lists has found. */
export interface FoundEntry {
  readonly list: ListDefinition
  readonly entry: Entry
}

/** Number of entries of each list. The list itself shows all of them. */
const perList = 5

/**
 * Searches several lists at once, after a pause in which a newer text can abort it. A list that cannot be searched finds
 * nothing. `complete` loads what the entries refer to. Rejects if no list can be searched, and when it is aborted.
 */
export async function findEntries(
  { client, signal, wait }: Session,
  { lists, complete }: Pick<Desk, 'complete'> & { readonly lists: readonly ListDefinition[] },
  { q, signal: aborted }: { readonly q: string; readonly signal: AbortSignal },
): Promise<readonly FoundEntry[]> {
  const search = async (list: ListDefinition): Promise<readonly FoundEntry[]> => {
    const { items } = await client.request<Page<Entry>>({
      method: 'GET',
      path: endpointOf(list),
      query: { q, limit: perList },
      signal: AbortSignal.any([signal, aborted]),
    })
    await complete(list, items, 'learn')
    return items.map((entry) => ({ list, entry }))
  }
  await wait(typingMs, aborted)
  const results = await Promise.allSettled(lists.map(search))
  aborted.throwIfAborted()
  const [first] = results
  if (first?.status === 'rejected' && results.every(({ status }) => status === 'rejected')) throw first.reason
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}
