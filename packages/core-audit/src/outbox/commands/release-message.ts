import type { Tx } from '../../database/database.ts'
import { type SQL, sql } from '../../database/sql.ts'
import type { LeasedMessage } from './lease-message.ts'

export interface ReleaseMessage {
  readonly table: SQL
  readonly message: LeasedMessage
}

/**
 * Ends the lease of a message without an outcome: the attempt does not count, and the message is due immediately. Changes
 * nothing if another process holds the lease by now.
 */
export async function releaseMessage(tx: Tx, { table, message }: ReleaseMessage): Promise<void> {
  await tx.execute(sql`
    update ${table}
    set lease_token = null, attempts = attempts - 1, available_at = statement_timestamp()
    where id = ${message.id}::uuid and lease_token = ${message.leaseToken}::uuid`)
}
