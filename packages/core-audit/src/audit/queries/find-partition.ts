import type { Db } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'
import { AuditError } from '../errors.ts'
import { type AuditPartition, listPartitions } from './list-partitions.ts'

/**
 * Returns the partition whose last year this is. The first partition also contains all earlier years.
 * @throws {AuditError} audit.partition_not_found
 */
export async function findPartition(db: Db, year: number): Promise<AuditPartition> {
  const partitions = await listPartitions(db)
  const [bound] = await db.execute<{ id: string }>(
    sql`select core_audit.first_event_id(make_timestamptz(${year + 1}::int, 1, 1, 0, 0, 0, 'UTC')) as id`,
  )
  const found = partitions.find(({ endId }) => endId === bound?.id)
  if (found !== undefined) return found
  throw new AuditError('audit.partition_not_found', {
    detail: `No partition ends with the year ${year}. The partitions are ${partitions.map(({ name }) => name).join(', ')}.`,
  })
}
