import { sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import type { MailSettings } from '../../contract.ts'

/**
 * Stores how a user receives mails, also for items that already wait for their mail. Skips requests that another transaction
 * holds: those keep their time.
 */
export async function setMailSettings(
  tx: Tx,
  { userId, settings }: { readonly userId: string; readonly settings: MailSettings },
): Promise<void> {
  const { delivery, timeZone, dailyHour } = settings
  await tx.execute(sql`
    with stored as (
      insert into work_center.mail_settings (user_id, delivery, time_zone, daily_hour)
      values (${userId}::uuid, ${delivery}, ${timeZone}, ${dailyHour}::int)
      on conflict (user_id) do update
      set delivery = excluded.delivery, time_zone = excluded.time_zone, daily_hour = excluded.daily_hour
      returning delivery, time_zone, daily_hour
    ),
    waiting as (
      select item_id from work_center.mail_requests where user_id = ${userId}::uuid for update skip locked
    )
    update work_center.mail_requests r
    set due_at = case stored.delivery
      when 'Daily' then work_center.next_digest_at(stored.time_zone, stored.daily_hour)
      else statement_timestamp()
    end
    from waiting, stored
    where r.user_id = ${userId}::uuid and r.item_id = waiting.item_id`)
}
