import { type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { isHeld, nextLookAt } from '../held.ts'

/** How many requested items are looked at in one statement. */
const batchSize = 500

/** The time of the earliest request. Uses the index `mail_requests_due`. */
export const nextRequestAt: SQL<string | null> = sql<string | null>`(
  select min(due_at) from work_center.mail_requests
)`

/**
 * Turns requests that are due into mails: one for each item, or one digest for all items of a user that receives daily mails. A
 * request for a task that another user has claimed waits further, so that a mail follows if the claim ends. A request for an item
 * of a mail that waits for its next attempt needs no other mail, because each attempt loads the item again, but it makes all attempts
 * available again. Returns the number of mails. Only one replica gathers at a time, because two of them would split digests; the others return
 * 0.
 */
export async function gatherMails(tx: Tx): Promise<number> {
  const rows = await tx.execute(sql`
    with turn as materialized (
      select pg_try_advisory_xact_lock(hashtextextended('vertical-kit.gather-mails', 0)) as is_ours
    ),
    recipient as materialized (
      select distinct earliest.user_id
      from turn
      cross join lateral (
        select user_id
        from work_center.mail_requests
        where due_at <= statement_timestamp()
        order by due_at, user_id
        limit ${batchSize}::int
      ) earliest
      where turn.is_ours
    ),
    waiting as materialized (
      select distinct m.user_id, unnest(m.item_ids) as item_id
      from recipient
      join work_center.mails m on m.user_id = recipient.user_id
      where m.state = 'pending' and m.lease_token is null
    ),
    due as materialized (
      select r.user_id, r.item_id, waiting.item_id is not null as is_waiting, exists (
          select
          from work_center.entries e
          where e.user_id = r.user_id and e.item_id = r.item_id and ${isHeld}
        ) as is_held
      from recipient
      join work_center.mail_requests r on r.user_id = recipient.user_id
      left join waiting on waiting.user_id = r.user_id and waiting.item_id = r.item_id
      where r.due_at <= statement_timestamp()
      for update of r skip locked
    ),
    held as (
      update work_center.mail_requests r
      set due_at = ${nextLookAt}
      from due
      left join work_center.mail_settings s on s.user_id = due.user_id
      where r.user_id = due.user_id and r.item_id = due.item_id and due.is_held
    ),
    renewed as (
      update work_center.mails m
      set attempts = 0
      from due
      where m.user_id = due.user_id and due.item_id = any(m.item_ids) and due.is_waiting and not due.is_held
        and m.state = 'pending' and m.lease_token is null
      -- A digest can have several of these items, but PostgreSQL returns an updated row once.
      returning m.user_id, m.item_ids
    ),
    gone as (
      delete from work_center.mail_requests r
      using due
      where r.user_id = due.user_id and r.item_id = due.item_id and not due.is_held
        -- An attempt may have begun meanwhile. The next look at the request then sees how it has ended.
        and (not due.is_waiting or exists (
          select from renewed where renewed.user_id = due.user_id and due.item_id = any(renewed.item_ids)
        ))
    )
    insert into work_center.mails (id, user_id, item_ids, is_digest)
    select gen_random_uuid(), due.user_id, array_agg(due.item_id order by due.item_id), coalesce(s.delivery, '') = 'Daily'
    from due
    left join work_center.mail_settings s on s.user_id = due.user_id
    where not due.is_held and not due.is_waiting
    group by due.user_id, s.delivery, case when s.delivery = 'Daily' then null else due.item_id end
    returning id`)
  return rows.length
}
