import { setTimeout as pause } from 'node:timers/promises'
import { auditInsert, toInstantOrNull } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { sql } from 'drizzle-orm/sql'
import { uploadCompleted } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import { checkStaged, decideCompletion } from '../policy.ts'
import { lockAttachment } from '../queries/lock-attachment.ts'
import type { attachments } from '../schema.ts'
import type { ActiveLease, ObjectStorage } from '../storage/object-storage.ts'
import { leavesDoubt } from '../storage/store-failure.ts'
import { acquireSealLease, releaseSealLease, renewSealLease, type SealLease } from './seal-lease.ts'

export interface CompletionServices {
  readonly database: Database
  readonly storage: ObjectStorage
  readonly config: AttachmentsConfig
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
 * The lease lasts this much longer than the time budget of the store, so that the attempt can commit. With the default
 * timeouts of `core-audit`, the margin covers the longest wait for a connection plus the longest wait for the row lock.
 */
const commitMarginMs = 15_000

/** The pause between attempts to acquire the lease. It starts at the duration of a small copy and doubles up to a limit. */
const firstPauseMs = 20
const longestPauseMs = 500

/**
 * Seals an upload: its bytes become immutable and downloadable. The function is idempotent: it returns a ready
 * attachment unchanged.
 *
 *     pending ──acquire lease──▶ pending, leased ──head, seal──▶ pending, leased, sealed ──commit──▶ ready
 *        ▲                            │ rejected, or the store failed       │ deleted, expired, or lease lost
 *        └─────────release lease──────┴─────────────────────────────────────┘
 *
 * No transaction or connection is open during calls to the store. Some stores ignore the conditions of a copy, so an
 * attempt could overwrite an object that another attempt has sealed. The lease prevents this: only one attempt at a time
 * can seal an upload, across all replicas. A second attempt waits for the first. Before the commit, the row is locked,
 * and the lease and the permission are checked again. If either check fails, nothing is written.
 *
 * A failed attempt releases the lease immediately, with one exception: if it sent a copy and received no answer, the
 * store may still execute that copy, so the lease stays until it expires.
 *
 * @throws {AttachmentsError} attachments.not_found · deleted · upload_expired · upload_missing · size_mismatch ·
 *   content_type_mismatch · upload_changed · storage_unavailable; also the errors of `authorize`
 */
export async function completeUpload(
  services: CompletionServices,
  input: CompleteUpload,
): Promise<Attachment> {
  const { database, storage, config } = services
  const { id, sealLeaseId } = input
  const claim = { id, sealLeaseId, leaseMs: storage.completionBudgetMs + commitMarginMs }
  const attachment = await awaitLease(services, claim, input.signal)
  if (attachment.status === 'ready') return attachment
  try {
    await sealStaged(storage, attachment, {
      signal: AbortSignal.timeout(storage.completionBudgetMs),
      renew: () => database.statement((tx) => renewSealLease(tx, claim)),
    })
    return await database.transaction((tx) => commitSealed(tx, config, input))
  } catch (error) {
    // Ignore a failed release: the lease expires anyway, and the caller needs the original error.
    if (!leavesDoubt(error)) await database.statement((tx) => releaseSealLease(tx, claim)).catch(() => {})
    throw error
  }
}

/** Waits until this attempt acquires the lease or the attachment is ready. Returns the attachment. */
async function awaitLease(
  { database, storage, config }: CompletionServices,
  claim: SealLease,
  signal: AbortSignal,
): Promise<Attachment> {
  const ending = AbortSignal.any([signal, AbortSignal.timeout(storage.completionBudgetMs)])
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const found = await database.statement((tx) => acquireSealLease(tx, config, claim))
    if (found.isAcquired || decideCompletion(found) === 'already-ready') return found.attachment
    await pause(pauseMs, undefined, { signal: ending }).catch((cause: unknown) => {
      throw new AttachmentsError('attachments.storage_unavailable', { cause })
    })
  }
}

async function sealStaged(storage: ObjectStorage, attachment: Attachment, lease: ActiveLease): Promise<void> {
  const { id, contentType } = attachment
  const { etag, sizeBytes } = checkStaged(attachment, await storage.head(id, lease.signal))
  const outcome = await storage.seal({ id, contentType, etag, sizeBytes }, lease)
  if (outcome === 'changed') throw new AttachmentsError('attachments.upload_changed')
}

/** Checks the permission, the status and the lease again. Then sets the status to `ready` and writes the audit event. */
async function commitSealed(tx: Tx, config: AttachmentsConfig, input: CompleteUpload): Promise<Attachment> {
  const { attachment, isExpired, sealLeaseId } = await lockAttachment(tx, config, input.id)
  await input.authorize(tx, attachment.target)
  if (decideCompletion({ status: attachment.status, isExpired }) === 'already-ready') return attachment
  if (sealLeaseId !== input.sealLeaseId) throw new AttachmentsError('attachments.storage_unavailable')
  const [row] = await tx.execute<RowOf<typeof attachments, 'completedAt'>>(sql`
    with audit as (${auditInsert([uploadCompleted(attachment, input.actor)])})
    update attachments.attachments
    set status = 'ready', completed_at = clock_timestamp(), seal_lease_id = null, seal_lease_until = null
    where id = ${attachment.id}::uuid
    returning completed_at`)
  if (row === undefined) throw new Error('The update of a locked attachment returned no row')
  return { ...attachment, status: 'ready', completedAtUtc: toInstantOrNull(row.completed_at) }
}
