import type { ActiveLease, SealRequest, StagedObject } from './object-storage.ts'

/** Whether a copy may replace an object that is at the final key already. */
export type CopyMode = 'create' | 'replace'

/** The calls to the store for one upload. */
export interface SealCalls {
  /** Copies the staged object as it was checked; returns the copy's ETag, or `null` when a condition did not hold. */
  copy(mode: CopyMode): Promise<string | null>
  /** Describes the object at the final key; `null` when there is none. */
  head(): Promise<StagedObject | null>
}

/**
 * Makes the checked upload immutable: copies it to the final key, then verifies what is there.
 *
 * Both conditions go with the first copy: the source still has the ETag that was checked, and nothing is at the final
 * key. Stores differ in what they make of them. AWS honours both; Ceph's gateway ignores both. So neither is relied
 * on to say yes, and a no is looked into:
 *
 *     copy, if the source matches and nothing is at the final key
 *     ├─ done ───────────────────────────────────────────────────────────▶ verify
 *     └─ a condition did not hold: what is at the final key?
 *        ├─ nothing            the source changed ─────────────────────────▶ changed
 *        ├─ what was checked   an earlier attempt got this far ────────────▶ sealed
 *        └─ something else     left by an attempt that never became ready, over an upload since replaced:
 *                              if it is still our turn, copy over it, if the source matches
 *                              ├─ done ──────────────────────────────────▶ verify
 *                              └─ the condition did not hold ────────────▶ changed
 *     verify: the copy's own ETag, then the final object's ETag and size ─▶ sealed | changed
 *
 * What is at the final key is a leftover only as long as the upload is pending and the turn to seal it ours: to who
 * comes back late, it looks the same when another has sealed it. So the turn is renewed first. While it lasts, nobody
 * has been given a URL for these bytes. After `changed`, whatever was copied is such a leftover itself.
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
