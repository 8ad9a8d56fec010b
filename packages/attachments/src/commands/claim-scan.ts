import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { Attachment } from '../contract.ts'
import { type AttachmentRow, toAttachment } from '../queries/attachment-row.ts'
import type { attachments } from '../schema.ts'

/** A file that this host scans. */
export interface ClaimedScan {
  readonly attachment: Attachment
  readonly sealAttempt: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
}

type Row = AttachmentRow & RowOf<typeof attachments, 'sealAttempt' | 'scanAttempts'>

/**
 * The number of first attempts, and of repeated ones, that have waited longest. Among these, authors with running scans let
 * others go first.
 */
const fairAmong = 1_000

/** How long a claim lasts, and which authors have running scans on this host. */
export interface ClaimScan {
  readonly claimMs: number
  /** The authors whose files yield to those of others. */
  readonly busyAuthors: readonly string[]
  /** The authors whose files must wait until one of their scans has ended. */
  readonly fullAuthors: readonly string[]
}

/**
 * Claims a file for a scan. Returns undefined if none is due. Many files of one user, and files whose scans have failed, do not
 * delay the others: a first attempt goes before a repeated one, and among these the file that has waited longest. Skips rows that
 * another transaction has locked, so any number of replicas can scan. After a host has died, another one claims its file again.
 */
export async function claimScan(
  tx: Tx,
  { claimMs, busyAuthors, fullAuthors }: ClaimScan,
): Promise<ClaimedScan | undefined> {
  const [row] = await tx.execute<Row>(sql`
    with first as materialized (${waitingOf(sql`scan_attempts = 0`, fullAuthors)}), waiting as materialized (
      select * from first
      union all
      -- Without first attempts only: this search reads all due files if none is repeated.
      (${waitingOf(sql`scan_attempts > 0 and not exists (select from first)`, fullAuthors)})
    ), due as (
      select a.id
      from waiting w
      join attachments.attachments a using (id)
      where a.status = 'scanning' and a.scan_due_at <= now()
      order by w.author = any(${sql.param(busyAuthors)}::uuid[]), w.scan_attempts > 0, w.scan_due_at
      limit 1
      for no key update of a skip locked
    )
    update attachments.attachments a
    set scan_due_at = ${afterMs(claimMs)}, scan_attempts = a.scan_attempts + 1
    from due
    where a.id = due.id
    returning a.*, '' as created_by_display_name`)
  if (row === undefined) return undefined
  return {
    attachment: toAttachment(row),
    sealAttempt: row.seal_attempt,
    attempt: row.scan_attempts,
  }
}

/** The due files with these attempts that have waited longest, without those of full authors: they must not hide others. */
const waitingOf = (attempts: SQL, fullAuthors: readonly string[]): SQL => sql`
  select id, created_by_user_id as author, scan_attempts, scan_due_at
  from attachments.attachments
  where status = 'scanning' and scan_due_at <= now() and ${attempts}
    and created_by_user_id <> all(${sql.param(fullAuthors)}::uuid[])
  order by scan_due_at
  limit ${fairAmong}::int`

/** The end of a scan without a verdict. */
export interface PostponedScan {
  readonly id: string
  readonly delayMs: number
  /** False if the host has ended the scan because it stops. The scan then does not count as an attempt. */
  readonly isAttempt: boolean
}

/** Lets the file be claimed again after `delayMs`. Does nothing if it does not wait for a scan any more. */
export async function postponeScan(tx: Tx, { id, delayMs, isAttempt }: PostponedScan): Promise<void> {
  await tx.execute(sql`
    update attachments.attachments
    set scan_due_at = ${afterMs(delayMs)}, scan_attempts = scan_attempts - ${isAttempt ? 0 : 1}::int
    where id = ${id}::uuid and status = 'scanning'`)
}

/** An expression for the time at which the next file can be claimed. Uses the index `attachments_scanning_by_due`. */
export const nextScanAt: SQL<string | null> = sql<string | null>`(
  select min(scan_due_at) from attachments.attachments where status = 'scanning'
)`

const afterMs = (ms: number): SQL => sql`clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`
