import { auditInsert, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { quarantined, uploadCompleted } from '../audit.ts'
import type { AttachmentsConfig } from '../config.ts'
import { lockAttachment } from '../queries/lock-attachment.ts'
import type { ScanVerdict } from '../scanning/scanner.ts'

export interface FinishScan {
  readonly id: string
  readonly verdict: ScanVerdict
}

/**
 * Makes a clean file ready, or quarantines it, and writes the audit event. A quarantined file leaves the limit of its object and
 * keeps its status. Does nothing if the file was deleted during the scan, or if another host has finished a scan of it: the bytes
 * of all scans are the same, so the first result counts.
 */
export async function finishScan(
  tx: Tx,
  config: AttachmentsConfig,
  { id, verdict }: FinishScan,
): Promise<void> {
  const { attachment } = await lockAttachment(tx, config, id)
  if (attachment.status !== 'scanning') return
  // The author has completed the upload, so followers of the object see who added the file.
  const author = { userId: attachment.createdByUserId, correlationId: null }
  const [event, change] = verdict.isClean
    ? [uploadCompleted(attachment, author), sql`status = 'ready', completed_at = clock_timestamp()`]
    : [quarantined(attachment, verdict.finding), sql`status = 'quarantined', deleted_at = clock_timestamp()`]
  await tx.execute(sql`
    with audit as (${auditInsert(tx, [event])})
    update attachments.attachments
    set ${change},
      scan_due_at = null
    where id = ${id}::uuid`)
}
