import { setTimeout as pause } from 'node:timers/promises'
import { auditInsert, sql, toInstantOrNull } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { scanRequested, uploadCompleted } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import { checkStaged, decideCompletion } from '../policy.ts'
import { lockAttachment } from '../queries/lock-attachment.ts'
import type { attachments } from '../schema.ts'
import type { ObjectStorage } from '../storage/object-storage.ts'
import { joinUploadedParts } from './join-uploaded-parts.ts'
import {
  acquireSealLease,
  type LeaseAttempt,
  releaseSoon,
  type SealLease,
  whileRenewing,
} from './seal-lease.ts'

export interface CompletionServices {
  readonly database: Database
  readonly storage: ObjectStorage
  readonly config: AttachmentsConfig
  /** Whether the file is scanned before it is ready. */
  readonly isScanned: boolean
}

export interface CompleteUpload {
  readonly id: string
  readonly actor: Actor
  readonly authorize: Authorize
  /** A new UUID for each attempt to complete the upload. */
  readonly sealLeaseId: string
  /** Aborted when the client disconnects. An abort ends the wait for the lease, but does not stop a seal in progress. */
  readonly signal: AbortSignal
}

/**
 * The default duration of a lease. It is renewed every 3 s, so about 12 s remain for the commit. With the default timeouts
 * of `core-audit`, that covers the longest wait for a connection (5 s) plus the longest wait for the row lock (5 s).
 */
const defaultLeaseMs = 15_000

/** The longest wait for the lease. With the `Retry-After` of the refusal (5 s), the next try follows the end of a lease. */
const longestWaitMs = 10_000

/** The pause between attempts to acquire the lease. It starts at the duration of a small copy and doubles up to a limit. */
const firstPauseMs = 20
const longestPauseMs = 500

/**
 * Seals an upload: its bytes become immutable, and downloadable unless they are scanned first. The function is idempotent: it
 * returns a completed attachment unchanged.
 *
 *     pending ──acquire lease──▶ pending, leased ──head, seal──▶ pending, leased, sealed ──commit──▶ ready or scanning
 *        ▲                            │ rejected, or the store failed       │ deleted, expired, or lease lost
 *        └─────────release lease──────┴─────────────────────────────────────┘
 *
 * No transaction or connection is open during calls to the store. Each attempt copies to its own key, so a copy that the
 * store executes late, or a frozen process that continues, cannot change the result of another attempt. The lease only
 * prevents unnecessary copies: a second attempt waits for the first, across all replicas. The lease is short and renewed
 * while the store works, so an attempt of a dead process soon loses it. Before the commit, the row is locked, and the lease
 * and the permission are checked again. If either check fails, nothing is written.
 *
 * The parts of an upload in parts are joined instead of copied: see {@link joinUploadedParts}.
 *
 * @throws {AttachmentsError} attachments.not_found · deleted · quarantined · upload_expired · upload_missing · size_mismatch ·
 *   content_type_mismatch · upload_changed · storage_unavailable; also the errors of `authorize`
 */
export async function completeUpload(
  services: CompletionServices,
  input: CompleteUpload,
): Promise<Attachment> {
  const { database, storage, config } = services
  const { id } = input
  const lease: SealLease = {
    id,
    sealLeaseId: input.sealLeaseId,
    leaseMs: config.sealLeaseMs ?? defaultLeaseMs,
  }
  const { attachment, sealAttempt, multipart } = await awaitLease(services, lease, input.signal)
  if (sealAttempt === null) return attachment
  const { contentType } = attachment
  let isCopySent = false
  try {
    await whileRenewing(database, lease, async () => {
      if (multipart !== null) return joinUploadedParts(storage, attachment, multipart)
      const { etag, sizeBytes } = checkStaged(attachment, await storage.head(id))
      isCopySent = true
      const outcome = await storage.seal({ id, sealAttempt, contentType, etag, sizeBytes })
      if (outcome === 'changed') throw new AttachmentsError('attachments.upload_changed')
    })
    return await database.transaction((tx) => commitSealed(tx, services, input))
  } catch (error) {
    await releaseSoon(database, { ...lease, isCopySent })
    throw error
  }
}

/** Waits until this attempt acquires the lease or the upload is complete. */
async function awaitLease(
  { database, config }: CompletionServices,
  lease: SealLease,
  signal: AbortSignal,
): Promise<LeaseAttempt> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(longestWaitMs)])
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const found = await database.statement((tx) => acquireSealLease(tx, config, lease))
    if (found.sealAttempt !== null || decideCompletion(found) === 'already-complete') return found
    await pause(pauseMs, undefined, { signal: ending }).catch((cause: unknown) => {
      throw completedByAnother(cause)
    })
  }
}

/** Clients repeat the request, as they do when the store is slow: usually, a slow store or a dead host is the reason. */
function completedByAnother(cause?: unknown): Error {
  const detail = 'Another request is completing this upload. Try again.'
  return new AttachmentsError('attachments.storage_unavailable', { detail, cause })
}

/** Checks the permission, the status and the lease again. Then sets the next status and writes the audit event. */
async function commitSealed(
  tx: Tx,
  { config, isScanned }: CompletionServices,
  input: CompleteUpload,
): Promise<Attachment> {
  const { attachment, isExpired, sealLeaseId } = await lockAttachment(tx, config, input.id)
  await input.authorize(tx, attachment.target)
  if (decideCompletion({ status: attachment.status, isExpired }) === 'already-complete') return attachment
  if (sealLeaseId !== input.sealLeaseId) throw completedByAnother()
  const [event, change] = isScanned
    ? [scanRequested(attachment, input.actor), sql`status = 'scanning', scan_due_at = clock_timestamp()`]
    : [uploadCompleted(attachment, input.actor), sql`status = 'ready', completed_at = clock_timestamp()`]
  // The key of joined parts contains no number of an attempt.
  const [row] = await tx.execute<RowOf<typeof attachments, 'completedAt'>>(sql`
    with audit as (${auditInsert(tx, [event])})
    update attachments.attachments
    set ${change},
      seal_attempt = case when part_size_bytes is null then seal_attempt else 0 end,
      seal_lease_id = null, seal_lease_until = null
    where id = ${attachment.id}::uuid
    returning completed_at`)
  if (row === undefined) throw new Error('The update of a locked attachment returned no row')
  const status = isScanned ? 'scanning' : 'ready'
  return { ...attachment, status, completedAtUtc: toInstantOrNull(row.completed_at) }
}
