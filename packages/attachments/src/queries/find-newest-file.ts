import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { attachments } from '../schema.ts'
import type { SealedKey } from '../storage/object-storage.ts'

/** A completed file: the key and the size of its bytes in the bucket. */
export interface StoredFile extends SealedKey {
  readonly sizeBytes: number
}

/** Returns the completed file that was reserved last, also if it is deleted: its bytes stay in the bucket. */
export async function findNewestFile(db: Db): Promise<StoredFile | null> {
  const [row] = await db.execute<RowOf<typeof attachments, 'id' | 'sealAttempt' | 'sizeBytes'>>(sql`
    select id, seal_attempt, size_bytes from attachments.attachments
    where completed_at is not null
    order by id desc
    limit 1`)
  return row === undefined
    ? null
    : { id: row.id, sealAttempt: row.seal_attempt, sizeBytes: Number(row.size_bytes) }
}
