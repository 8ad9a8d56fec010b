import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'

/** A partition of the audit log. The bounds are ids, in the text of PostgreSQL, so they sort like the ids. */
export interface AuditPartition {
  /** The name of its table in the schema `core_audit`. */
  readonly name: string
  /** The smallest possible id; `null` if there is no lower bound. */
  readonly firstId: string | null
  /** The end of the ids, which belongs to the next partition. */
  readonly endId: string
}

/** Returns all partitions, newest first. Reads only the catalog. */
export function listPartitions(db: Db): Promise<readonly AuditPartition[]> {
  return db.execute<AuditPartition & Record<string, unknown>>(sql`
    select name, first_id as "firstId", end_id as "endId"
    from core_audit.audit_partitions()`)
}
