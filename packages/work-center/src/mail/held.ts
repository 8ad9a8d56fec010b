import { type SQL, sql } from '@vertical-kit/core-audit'

/** The time between two looks at a task that another user has claimed, if its mail is not part of a digest. */
const heldPauseMs = 5 * 60_000

/** The condition that another user has claimed the task of entry `e`. */
export const isHeld: SQL = sql`e.is_open and not e.is_visible`

/** The time of the next look at a task that another user has claimed, with the recipient's mail settings `s`, if there are any. */
export const nextLookAt: SQL = sql`case s.delivery
        when 'Daily' then work_center.next_digest_at(s.time_zone, s.daily_hour)
        else statement_timestamp() + ${heldPauseMs}::float8 * interval '1 millisecond'
      end`
