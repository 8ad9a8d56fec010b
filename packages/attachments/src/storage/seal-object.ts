import type { ActiveLease, SealRequest, StagedObject } from './object-storage.ts'

/** `create` requires that no object exists at the final key. `replace` overwrites an existing object. */
export type CopyMode = 'create' | 'replace'

/** The store calls that seal one upload. */
export interface SealCalls {
  /** Copies the checked upload. Returns the ETag of the copy, or `null` if a condition failed. */
  copy(mode: CopyMode): Promise<string | null>
  /** Returns the metadata of the object at the final key, or `null` if no object exists there. */
  head(): Promise<StagedObject | null>
}

/**
 * Makes the checked upload immutable: copies it to the final key, then verifies the copy.
 *
 * The first copy has two conditions: the source still has the checked ETag, and no object exists at the final key. AWS
 * checks these conditions, but Ceph's gateway ignores them. Every successful copy is therefore verified. After a failed
 * condition, the object at the final key decides what happens next:
 *
 *     copy, if the source matches and the final key is empty
 *     ├─ success ────────────────────────────────────────────────────────▶ verify
 *     └─ a condition failed: read the object at the final key
 *        ├─ no object          the source has changed ───────────────────▶ changed
 *        ├─ the same object    an earlier attempt copied it ─────────────▶ sealed
 *        └─ another object     an earlier attempt copied an older upload and never completed:
 *                              renew the lease, then replace the object if the source matches
 *                              ├─ success ───────────────────────────────▶ verify
 *                              └─ the condition failed ──────────────────▶ changed
 *     verify: the ETag of the copy, then ETag and size at the final key ─▶ sealed | changed
 *
 * An attempt must not replace an object that a later attempt has sealed. It therefore renews its lease first, and the
 * renewal fails if the attempt has lost the lease. While the attempt has the lease, an object at the final key is only a
 * leftover, and no download URL for this object exists. After `changed`, the copy of the attempt becomes a leftover.
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
