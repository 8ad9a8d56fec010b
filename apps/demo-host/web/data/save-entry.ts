import { isTransient, type KitError, newIdempotencyKey } from '@vertical-kit/ui-client'
import { outcome, type Session } from '@vertical-kit/ui-client/stores'
import { endpointOf, type ListDefinition } from '../lists.ts'
import type { Entry } from './entries.ts'
import type { VersionedEntry } from './opened-entry.ts'

interface SaveEntry {
  readonly list: ListDefinition
  /** Null for a new entry. */
  readonly id: string | null
  readonly body: object
  /** The version of the document in the form. Null for new entries and for items of a catalog. */
  readonly expectedVersion: number | null
  /** The key of a creation: see {@link creationKeys}. */
  readonly creationKey: string | null
}

/**
 * Returns the key of the creation of an entry with these values. Another attempt with the same values has the same key, so it
 * finds the entry whose response was lost. Changed values are another entry.
 */
export function creationKeys(): (values: object) => string {
  let last = { values: '', key: '' }
  return (values) => {
    const now = JSON.stringify(values)
    if (now !== last.values) last = { values: now, key: crypto.randomUUID() }
    return last.key
  }
}

/** Creates or replaces an entry. */
export function saveEntry({ client, signal }: Session, save: SaveEntry): Promise<Entry> {
  const { list, id, body, expectedVersion, creationKey } = save
  const endpoint = endpointOf(list)
  return client.request<Entry>({
    ...(id === null
      ? { method: 'POST', path: endpoint }
      : { method: 'PUT', path: `${endpoint}/${encodeURIComponent(id)}` }),
    body: {
      ...body,
      ...(expectedVersion !== null && { expectedVersion }),
      ...(creationKey !== null && { creationKey }),
    },
    isRepeatable: creationKey !== null,
    signal,
  })
}

/** Posts a draft that was saved with this version. Null if it is no document, or if the session ended before. */
export async function postDraft(
  { client, signal }: Session,
  { entry, version }: VersionedEntry,
): Promise<{ readonly value: VersionedEntry } | { readonly error: KitError } | null> {
  if (!('number' in entry) || version === null) return null
  const { typeCode, id } = entry
  const idempotencyKey = newIdempotencyKey()
  const executing = client.documents.execute({
    ...{ typeCode, id, expectedVersion: version, signal },
    ...{ actionCode: 'post', idempotencyKey },
  })
  const result = await outcome(signal, executing)
  if (result === null || 'error' in result) return result
  return { value: { entry: result.value.document, version: result.value.documentVersion } }
}

/**
 * Returns whether a write may have succeeded although the request failed, because its response may be lost. After a refused token, an
 * earlier attempt of the client may have succeeded; an action in progress may still succeed.
 */
export const mayHaveSucceeded = (error: KitError): boolean =>
  error.status < 400 ||
  error.status >= 500 ||
  error.code.startsWith('auth.') ||
  error.code === 'document_action.in_progress' ||
  isTransient(error)
