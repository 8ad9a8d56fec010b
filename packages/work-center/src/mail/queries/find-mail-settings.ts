import { sql } from '@vertical-kit/core-audit'
import type { Db } from '@vertical-kit/core-audit/database'
import type { RowOf } from '@vertical-kit/core-audit/schema'
import type { MailSettings } from '../../contract.ts'
import type { mailSettings } from '../../schema-internal.ts'

/** The settings of users that have chosen nothing. */
export const defaultMailSettings: MailSettings = { delivery: 'Immediately', timeZone: 'UTC', dailyHour: 7 }

/** Returns how a user receives mails. */
export async function findMailSettings(db: Db, userId: string): Promise<MailSettings> {
  const [row] = await db.execute<RowOf<typeof mailSettings, 'delivery' | 'timeZone' | 'dailyHour'>>(sql`
    select delivery, time_zone, daily_hour from work_center.mail_settings where user_id = ${userId}::uuid`)
  if (row === undefined) return defaultMailSettings
  return { delivery: row.delivery, timeZone: row.time_zone, dailyHour: row.daily_hour }
}
