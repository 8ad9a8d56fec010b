import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { nextLookAt } from '../held.ts'

/**
 * Requests a mail again for a task that another user had claimed when its mail was sent, so that a mail follows if the claim ends.
 * Keeps a request that exists. Call it in a transaction of its own: together with other requests, it could deadlock with
 * transactions that create tasks.
 */
export async function requestAgain(
  tx: Tx,
  { userId, itemId }: { readonly userId: string; readonly itemId: string },
): Promise<void> {
  await tx.execute(sql`
    insert into work_center.mail_requests (user_id, item_id, due_at)
    select ${userId}::uuid, ${itemId}::uuid, ${nextLookAt}
    from (select) request
    left join work_center.mail_settings s on s.user_id = ${userId}::uuid
    on conflict (user_id, item_id) do nothing`)
}
