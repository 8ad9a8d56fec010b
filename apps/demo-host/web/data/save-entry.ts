import { type Document, type ExecutionResult, newIdempotencyKey } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { endpointOf, type ListDefinition } from '../lists.ts'
import type { Entry } from './entries.ts'

interface SaveEntry {
  readonly list: ListDefinition
  /** Null for a new entry. */
  readonly id: string | null
  readonly body: object
  /** The version of the document in the form. Null for new entries and for items of a catalog. */
  readonly expectedVersion: number | null
}

/** Creates or replaces an entry. */
export function saveEntry({ client, signal }: Session, save: SaveEntry): Promise<Entry> {
  const { list, id, body, expectedVersion } = save
  const endpoint = endpointOf(list)
  return client.request<Entry>({
    ...(id === null
      ? { method: 'POST', path: endpoint }
      : { method: 'PUT', path: `${endpoint}/${encodeURIComponent(id)}` }),
    body: { ...body, ...(expectedVersion !== null && { expectedVersion }) },
    signal,
  })
}

/** Posts a draft that was saved with this version. */
export const postDraft = (
  { client, signal }: Session,
  { typeCode, id }: Document,
  expectedVersion: number,
): Promise<ExecutionResult> =>
  client.documents.execute({
    ...{ typeCode, id, expectedVersion, signal },
    actionCode: 'post',
    idempotencyKey: newIdempotencyKey(),
  })
