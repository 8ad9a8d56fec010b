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
  /** Unique to this attempt. */
  readonly sealLeaseId: string
  /** Aborted when nobody waits for the answer any more. Ends waiting for a turn, not a completion under way. */
  readonly signal: AbortSignal
}

/**
 * What the lease lasts beyond the time the store is given, for the commit that follows: a full wait for a connection
 * and one for the row's lock, with the kernel's defaults, and a little more.
 */
const commitMarginMs = 15_000

/** How long a waiting completer sleeps: doubling, from the time a small copy takes to what a person does not notice. */
const firstPauseMs = 20
const longestPauseMs = 500

/**
 * Seals an upload: its bytes become immutable and downloadable. Idempotent: a ready attachment is returned as it is.
 *
 *     pending ──take the turn──▶ pending, leased ──head, seal──▶ pending, leased, sealed ──commit──▶ ready
 *        ▲                            │ refused, or the store failed        │ deleted, expired, or no longer ours
 *        └──────────give it back──────┴─────────────────────────────────────┘
 *
 * No transaction and no connection is open while the store is asked. The lease makes sealing exclusive across replicas
 * meanwhile, since a store that ignores the conditions of a copy would otherwise let one attempt overwrite what another
 * has sealed; it outlasts everything the store may take. Whoever comes second waits for the first. At the end the row
 * is locked and looked at again: who no longer has the turn, or no longer may, commits nothing.
 *
 * The turn is given back at once, except when a copy was sent and no answer came: the store may still be about to do
 * it. Then the lease runs out by itself.
 *
 * @throws {AttachmentsError} attachments.not_found · deleted · upload_expired · upload_missing · size_mismatch ·
 *   content_type_mismatch · upload_changed · storage_unavailable; and whatever `authorize` throws
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
    // Should this fail as well, the lease ends it; the first failure is the one to tell.
    if (!leavesDoubt(error)) await database.statement((tx) => releaseSealLease(tx, claim)).catch(() => {})
    throw error
  }
}

/** Resolves with the attachment once the turn is taken, or with the ready one when there is nothing left to do. */
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

/** Makes a sealed upload ready, with its audit event, if it still may be, by this author, whose turn it still is. */
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
  if (row === undefined) throw new Error('A locked attachment could not be updated')
  return { ...attachment, status: 'ready', completedAtUtc: toInstantOrNull(row.completed_at) }
}
