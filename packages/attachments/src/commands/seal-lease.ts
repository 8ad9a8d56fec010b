import { setTimeout as pause } from 'node:timers/promises'
import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Database, Tx } from '@vertical-kit/core-audit/database'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
import { type Multipart, type MultipartRow, multipartColumns, toMultipart } from '../parts.ts'
import type { AttachmentState } from '../policy.ts'
import {
  type AttachmentRow,
  attachmentColumns,
  fromAttachments,
  isExpired,
  toAttachment,
} from '../queries/attachment-row.ts'

/** The lease that one attempt to seal an upload requests. */
export interface SealLease {
  readonly id: string
  /** A new UUID for each attempt. An attempt has the lease while the row contains this id and the lease is not expired. */
  readonly sealLeaseId: string
  /** The time from the acquisition or the last renewal until the lease expires. */
  readonly leaseMs: number
}

/** The result of an attempt to acquire the lease. `attachment` is the state before the attempt. */
export interface LeaseAttempt extends AttachmentState {
  readonly attachment: Attachment
  readonly multipart: Multipart | null
  /** The number of this attempt, which no other attempt with a copy has; `null` if the lease was not acquired. */
  readonly sealAttempt: number | null
}

type Row = AttachmentRow & MultipartRow & { is_expired: boolean; acquired_attempt: number | null }

/**
 * Acquires the lease to seal a pending upload and numbers the attempt, unless another attempt has the lease or another
 * transaction has locked the row. Never waits for either. Because the lease expires, a crashed process blocks other attempts
 * only for a limited time. Call this with `database.statement`, so that no row is locked during calls to the object store.
 *
 * @throws {AttachmentsError} attachments.not_found
 */
export async function acquireSealLease(
  tx: Tx,
  config: AttachmentsConfig,
  { id, sealLeaseId, leaseMs }: SealLease,
): Promise<LeaseAttempt> {
  const [row] = await tx.execute<Row>(sql`
    with acquired as (
      update attachments.attachments a
      set seal_lease_id = ${sealLeaseId}::uuid,
        seal_lease_until = ${leaseEnd(leaseMs)},
        seal_attempt = a.seal_attempt + 1
      where a.id = (select id from attachments.attachments where id = ${id}::uuid for no key update skip locked)
        and a.status = 'pending'
        and not ${isExpired(config)}
        and (a.seal_lease_until is null or a.seal_lease_until <= clock_timestamp())
      returning a.seal_attempt
    )
    select ${attachmentColumns}, ${multipartColumns},
      ${isExpired(config)} as is_expired,
      (select seal_attempt from acquired) as acquired_attempt
    ${fromAttachments}
    where a.id = ${id}::uuid`)
  if (row === undefined) throw new AttachmentsError('attachments.not_found')
  const attachment = toAttachment(row)
  return {
    attachment,
    status: attachment.status,
    isExpired: row.is_expired,
    multipart: toMultipart(row),
    sealAttempt: row.acquired_attempt,
  }
}

/** Extends the lease by its full duration. Returns false, and changes nothing, if the attempt has lost the lease. */
export async function renewSealLease(tx: Tx, { id, sealLeaseId, leaseMs }: SealLease): Promise<boolean> {
  const rows = await tx.execute(sql`
    update attachments.attachments
    set seal_lease_until = ${leaseEnd(leaseMs)}
    where id = ${id}::uuid
      and seal_lease_id = ${sealLeaseId}::uuid
      and seal_lease_until > clock_timestamp()
    returning id`)
  return rows.length > 0
}

/** The end of an attempt without a result. */
export interface FailedAttempt extends SealLease {
  readonly isCopySent: boolean
}

/**
 * Releases the lease before it expires. Does nothing if another attempt has acquired it. If no copy was sent, the next
 * attempt gets the same number.
 */
export async function releaseSealLease(
  tx: Tx,
  { id, sealLeaseId, isCopySent }: Omit<FailedAttempt, 'leaseMs'>,
): Promise<void> {
  await tx.execute(sql`
    update attachments.attachments
    set seal_lease_id = null,
      seal_lease_until = null,
      seal_attempt = seal_attempt - ${isCopySent ? 0 : 1}::int
    where id = ${id}::uuid and seal_lease_id = ${sealLeaseId}::uuid`)
}

/** The pause between attempts to release a lease. */
const releasePauseMs = 500

/**
 * Releases the lease of a failed attempt as soon as the database can be reached. Resolves after the first try, and repeats
 * the release in the background until the lease has expired anyway. Never rejects.
 */
export async function releaseSoon(database: Database, attempt: FailedAttempt): Promise<void> {
  const release = () =>
    database
      .statement((tx) => releaseSealLease(tx, attempt))
      .then(
        () => true,
        () => false,
      )
  const isReleased = await release()
  if (!isReleased) void keepReleasing(release, attempt.leaseMs)
}

async function keepReleasing(release: () => Promise<boolean>, leaseMs: number): Promise<void> {
  const endMs = performance.now() + leaseMs
  do {
    // Do not keep a stopping process alive.
    await pause(releasePauseMs, undefined, { ref: false })
  } while (!(await release()) && performance.now() < endMs)
}

const leaseEnd = (leaseMs: number): SQL =>
  sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'`

/** The renewals per duration of the lease. Some of them can fail or be late before the lease expires. */
const renewalsPerLease = 5

/** Runs `work` and renews the lease until `work` settles. Uses a connection only for the moment of each renewal. */
export async function whileRenewing<T>(
  database: Database,
  lease: SealLease,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController()
  void keepRenewing(database, lease, ended.signal)
  try {
    return await work()
  } finally {
    ended.abort()
  }
}

/** Never rejects. Ends when the signal aborts or the lease is lost. A lost lease does not stop the attempt: its commit fails. */
async function keepRenewing(database: Database, lease: SealLease, signal: AbortSignal): Promise<void> {
  let isOurs = true
  while (isOurs) {
    const isEnded = await pause(lease.leaseMs / renewalsPerLease, false, { signal }).catch(() => true)
    if (isEnded) return
    // If the response is missing, the renewal may have happened or not. The next one finds out.
    isOurs = await database.statement((tx) => renewSealLease(tx, lease)).catch(() => true)
  }
}
