import type { Tx } from '@vertical-kit/core-audit/database'
import { type SQL, sql } from 'drizzle-orm/sql'
import type { AttachmentsConfig } from '../config.ts'
import type { Attachment } from '../contract.ts'
import { AttachmentsError } from '../errors.ts'
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
  readonly isAcquired: boolean
}

type Row = AttachmentRow & { is_expired: boolean; is_acquired: boolean }

/**
 * Acquires the lease to seal a pending upload, unless another attempt has the lease. Because the lease expires, a
 * crashed process blocks other attempts only for a limited time. Call this with `database.statement`, so that no row is
 * locked during calls to the object store.
 *
 * @throws {AttachmentsError} attachments.not_found
 */
export async function acquireSealLease(
  tx: Tx,
  config: AttachmentsConfig,
  { id, sealLeaseId, leaseMs }: SealLease,
): Promise<LeaseAttempt> {
  const [row] = await tx.execute<Row>(sql`
    with taken as (
      update attachments.attachments a
      set seal_lease_id = ${sealLeaseId}::uuid,
        seal_lease_until = ${leaseEnd(leaseMs)}
      where a.id = ${id}::uuid
        and a.status = 'pending'
        and not ${isExpired(config)}
        and (a.seal_lease_until is null or a.seal_lease_until <= clock_timestamp())
      returning a.id
    )
    select ${attachmentColumns},
      ${isExpired(config)} as is_expired,
      exists (select from taken) as is_acquired
    ${fromAttachments}
    where a.id = ${id}::uuid`)
  if (row === undefined) throw new AttachmentsError('attachments.not_found')
  const attachment = toAttachment(row)
  return { attachment, status: attachment.status, isExpired: row.is_expired, isAcquired: row.is_acquired }
}

/**
 * Extends the lease by its full duration.
 * @throws {AttachmentsError} attachments.storage_unavailable if the attempt has lost the lease
 */
export async function renewSealLease(tx: Tx, { id, sealLeaseId, leaseMs }: SealLease): Promise<void> {
  const rows = await tx.execute(sql`
    update attachments.attachments
    set seal_lease_until = ${leaseEnd(leaseMs)}
    where id = ${id}::uuid
      and seal_lease_id = ${sealLeaseId}::uuid
      and seal_lease_until > clock_timestamp()
    returning id`)
  if (rows.length === 0) throw new AttachmentsError('attachments.storage_unavailable')
}

/** Releases the lease before it expires. Does nothing if the attempt has lost the lease. */
export async function releaseSealLease(tx: Tx, { id, sealLeaseId }: SealLease): Promise<void> {
  await tx.execute(sql`
    update attachments.attachments
    set seal_lease_id = null, seal_lease_until = null
    where id = ${id}::uuid and seal_lease_id = ${sealLeaseId}::uuid`)
}

const leaseEnd = (leaseMs: number): SQL =>
  sql`clock_timestamp() + ${leaseMs}::float8 * interval '1 millisecond'`
