import type { ActiveLease, SealRequest, StagedObject } from './object-storage.ts'

/** Whether a copy can replace an existing object at the final key. */
export type CopyMode = 'create' | 'replace'

/** The store calls that seal one upload. */
export interface SealCalls {
  /** Copies the checked upload. Returns the ETag of the copy, or `null` if a condition failed. */
  copy(mode: CopyMode): Promise<string | null>
  /** Returns the metadata of the object at the final key, or `null` if there is none. */
  head(): Promise<StagedObject | null>
}

/**
 * Makes the checked upload immutable: copies it to the final key, then verifies the copy.
 *
 * The first copy has two conditions: the source still has the checked ETag, and the final key is empty. AWS honours
 * both; Ceph's gateway ignores both. So a success is always verified, and a failed condition is investigated:
 *
 *     copy, if the source matches and the final key is empty
 *     ├─ success ────────────────────────────────────────────────────────▶ verify
 *     └─ a condition failed: read the object at the final key
 *        ├─ none               the source has changed ───────────────────▶ changed
 *        ├─ the checked one    an earlier attempt copied it ─────────────▶ sealed
 *        └─ another one        an earlier attempt copied an older upload and never completed:
 *                              renew the lease, then replace it, if the source matches
 *                              ├─ success ───────────────────────────────▶ verify
 *                              └─ the condition failed ──────────────────▶ changed
 *     verify: the ETag of the copy, then ETag and size at the final key ─▶ sealed | changed
 *
 * Another object at the final key is a leftover only while the upload is pending and this attempt has the lease. To an
 * attempt that has lost the lease, an object that a later attempt has sealed looks the same, so the lease is renewed
 * first. While the lease lasts, no download URL for these bytes exists. After `changed`, the copy is itself a leftover.
 */
export async function sealObject(
  request: SealRequest,
  lease: ActiveLease,
  { copy, head }: SealCalls,
): Promise<'sealed' | 'changed'> {
  const verify = async (copiedETag: string): Promise<'sealed' | 'changed'> => {
    if (copiedETag !== request.etag) return 'changed'
    const sealed = await head()
    return sealed !== null && isSame(sealed, request) ? 'sealed' : 'changed'
  }
  const created = await copy('create')
  if (created !== null) return verify(created)

  const existing = await head()
  if (existing === null) return 'changed'
  if (isSame(existing, request)) return 'sealed'

  await lease.renew()
  const replaced = await copy('replace')
  return replaced === null ? 'changed' : verify(replaced)
}

const isSame = (object: StagedObject, checked: SealRequest): boolean =>
  object.etag === checked.etag && object.sizeBytes === checked.sizeBytes
