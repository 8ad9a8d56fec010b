import type { SealRequest, SealTurn, StagedObject } from './object-storage.ts'
import { type ObjectCalls, sealedKey } from './s3-objects.ts'

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
  objects: ObjectCalls,
  request: SealRequest,
  turn: SealTurn,
): Promise<'sealed' | 'changed'> {
  const { signal } = turn
  const created = await objects.copy(request, 'create', signal)
  if (created !== null) return verify(objects, { request, copiedETag: created }, signal)

  const existing = await objects.head(sealedKey(request.id), signal)
  if (existing === null) return 'changed'
  if (isSame(existing, request)) return 'sealed'

  await turn.renew()
  const replaced = await objects.copy(request, 'replace', signal)
  return replaced === null ? 'changed' : verify(objects, { request, copiedETag: replaced }, signal)
}

async function verify(
  objects: ObjectCalls,
  { request, copiedETag }: { readonly request: SealRequest; readonly copiedETag: string },
  signal: AbortSignal,
): Promise<'sealed' | 'changed'> {
  if (copiedETag !== request.etag) return 'changed'
  const sealed = await objects.head(sealedKey(request.id), signal)
  return sealed !== null && isSame(sealed, request) ? 'sealed' : 'changed'
}

const isSame = (object: StagedObject, checked: SealRequest): boolean =>
  object.etag === checked.etag && object.sizeBytes === checked.sizeBytes
