import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { ExecutionResult } from '../contract.ts'
import type { executions } from '../schema-internal.ts'

/** An idempotency key of an actor. */
export interface ExecutionKey {
  readonly actorUserId: string
  readonly idempotencyKey: string
}

/** A completed execution. */
export interface StoredExecution {
  readonly fingerprint: Uint8Array
  readonly result: ExecutionResult
}

type Row = RowOf<typeof executions, 'result'> & {
  readonly fingerprint: string
}

/** Returns the completed execution of a key, if one exists. Uses the index `executions_actor_key`. */
export async function findExecution(db: Db, key: ExecutionKey): Promise<StoredExecution | undefined> {
  // The setting `bytea_output` changes the text of bytes, and drivers understand only one of its values.
  const [row] = await db.execute<Row>(sql`
    select encode(fingerprint, 'hex') as fingerprint, result
    from document_actions.executions
    where actor_user_id = ${key.actorUserId}::uuid and idempotency_key = ${key.idempotencyKey}`)
  return row === undefined
    ? undefined
    : { fingerprint: Buffer.from(row.fingerprint, 'hex'), result: JSON.parse(row.result) as ExecutionResult }
}
