import { type SQL, sql } from '@vertical-kit/core-audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db, Tx } from '@vertical-kit/core-audit/database'

/** A user and the object that they follow. */
export interface Watch {
  readonly userId: string
  readonly target: BusinessObjectReference
}

/** Makes the user follow the object. Idempotent. The caller must first check that the user may read the object. */
export async function watchObject(tx: Tx, { userId, target }: Watch): Promise<void> {
  await tx.execute(sql`
    insert into work_center.watches (user_id, target_kind, target_type_code, target_id)
    values (${userId}::uuid, ${target.kind}, ${target.typeCode}, ${target.id}::uuid)
    on conflict do nothing`)
}

/** Makes the user no longer follow the object. Idempotent. */
export async function unwatchObject(tx: Tx, watch: Watch): Promise<void> {
  await tx.execute(sql`delete from work_center.watches where ${isWatch(watch)}`)
}

/** Returns whether the user follows the object. Uses the primary key. */
export async function isWatching(db: Db, watch: Watch): Promise<boolean> {
  const rows = await db.execute(sql`select from work_center.watches where ${isWatch(watch)}`)
  return rows.length > 0
}

const isWatch = ({ userId, target }: Watch): SQL => sql`
      target_id = ${target.id}::uuid
      and target_type_code = ${target.typeCode}
      and target_kind = ${target.kind}
      and user_id = ${userId}::uuid`
