import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { Attachment } from '../contract.ts'
import { type AttachmentRow, toAttachment } from '../queries/attachment-row.ts'
import type { attachments } from '../schema.ts'

/** A first attempt to scan a file, or one after an attempt without a verdict. */
export type ScanKind = 'first' | 'repeated'

/** A file that this host scans. */
export interface ClaimedScan {
  readonly attachment: Attachment
  readonly sealAttempt: number
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly kind: ScanKind
}

type Row = AttachmentRow & RowOf<typeof attachments, 'sealAttempt' | 'scanAttempts'>

export interface ClaimScan {
  readonly claimMs: number
  /** The other kind is claimed only if no file of this kind is due. */
  readonly preferred: ScanKind
  /** The author of the last claimed file of each kind, or `noAuthor`. */
  readonly lastAuthors: Readonly<Record<ScanKind, string>>
  /** The authors whose files must wait until one of their scans has ended. */
  readonly fullAuthors: readonly string[]
}

/** The id that comes before those of all authors. */
export const noAuthor = '00000000-0000-0000-0000-000000000000'

/**
 * Claims the oldest due file of the author whose turn it is, in the order of their ids. Returns undefined if no file is due. An
 * author waits for at most one file of each other author, however many files these have. Skips rows that another transaction has
 * locked, so any number of replicas can scan. After a host has died, another one claims its file again.
 */
export async function claimScan(
  tx: Tx,
  { claimMs, preferred, lastAuthors, fullAuthors }: ClaimScan,
): Promise<ClaimedScan | undefined> {
  const kinds: readonly ScanKind[] = [preferred, preferred === 'first' ? 'repeated' : 'first']
  // After the author with the highest id, the turns begin again.
  const turns = kinds.flatMap((kind) => [
    turnsOf(kind, lastAuthors[kind], highestAuthor),
    turnsOf(kind, noAuthor, lastAuthors[kind]),
  ])
  const [row] = await tx.execute<Row>(sql`
    with due as (
      select file.id
      from (values ${sql.join(turns, sql`, `)}) turns (is_repeated, after, until)
      cross join lateral (${nextFile(fullAuthors)}) file
      limit 1
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
    kind: row.scan_attempts === 1 ? 'first' : 'repeated',
  }
}

const highestAuthor = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

const turnsOf = (kind: ScanKind, after: string, until: string): SQL =>
  sql`(${kind === 'repeated'}::boolean, ${after}::uuid, ${until}::uuid)`

/**
 * Locks the next file of these turns. It jumps from author to author in the index `attachments_scanning_by_author`, and stops at
 * the first one with a due file that no other transaction has locked. So it reads at most one row for each author, regardless of the
 * number of files.
 */
const nextFile = (fullAuthors: readonly string[]): SQL => {
  const firstAfter = (author: SQL) => sql`
        select created_by_user_id as author, scan_due_at
        from attachments.attachments
        where status = 'scanning' and (scan_attempts > 0) = turns.is_repeated
          and created_by_user_id > ${author} and created_by_user_id <= turns.until
        order by created_by_user_id, scan_due_at
        limit 1`
  return sql`
        with recursive heads as (
          (${firstAfter(sql`turns.after`)})
          union all
          select next.* from heads cross join lateral (${firstAfter(sql`heads.author`)}) next
        )
        select own.id
        from heads
        cross join lateral (
          select id
          from attachments.attachments
          where status = 'scanning' and (scan_attempts > 0) = turns.is_repeated
            and created_by_user_id = heads.author and scan_due_at <= now()
          order by scan_due_at
          limit 1
          for no key update skip locked
        ) own
        where heads.scan_due_at <= now() and heads.author <> all(${sql.param(fullAuthors)}::uuid[])
        limit 1`
}

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
