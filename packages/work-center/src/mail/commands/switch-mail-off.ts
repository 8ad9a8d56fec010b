import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'

/** Switches mails of these definitions off for a user. In the order of the primary key, like every write of preferences. */
export async function switchMailOff(
  tx: Tx,
  { userId, codes }: { readonly userId: string; readonly codes: readonly string[] },
): Promise<void> {
  await tx.execute(sql`
    insert into work_center.preferences as p (user_id, code, channel, is_enabled)
    select ${userId}::uuid, c.code, 'Email', false
    from unnest(${sql.param(codes)}::text[]) c (code)
    order by c.code
    on conflict (user_id, code, channel) do update
    set is_enabled = false, updated_at = clock_timestamp()
    where p.is_enabled`)
}
