import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import { WebhooksError } from '../errors.ts'
import type { endpoints } from '../schema-internal.ts'

/** The data that a request to an endpoint needs. */
export interface ActiveEndpoint {
  readonly url: string
  /** The newest secret first. */
  readonly secrets: readonly string[]
  /** The time of the database, in whole seconds since 1970. */
  readonly nowSeconds: number
}

type Row = RowOf<typeof endpoints, 'url' | 'secret' | 'previousSecret'> & { now_seconds: string }

/** Returns an endpoint with its valid secrets; `null` if it is disabled. */
export async function findActiveEndpoint(db: Db, id: string): Promise<ActiveEndpoint | null> {
  const [row] = await db.execute<Row>(sql`
    select url, secret, case when previous_until > statement_timestamp() then previous_secret end as previous_secret,
      floor(extract(epoch from statement_timestamp()))::bigint as now_seconds
    from webhooks.endpoints
    where id = ${id}::uuid and is_active`)
  if (row === undefined) return null
  const secrets = row.previous_secret === null ? [row.secret] : [row.secret, row.previous_secret]
  return { url: row.url, secrets, nowSeconds: Number(row.now_seconds) }
}

/**
 * Returns if the endpoint exists, active or disabled.
 * @throws {WebhooksError} webhooks.endpoint_not_found
 */
export async function requireEndpoint(db: Db, id: string): Promise<void> {
  const rows = await db.execute(sql`
    select id from webhooks.endpoints where id::text = lower(${id})`)
  if (rows.length === 0) throw new WebhooksError('webhooks.endpoint_not_found')
}
