import { type SQL, sql } from '@vertical-kit/core-audit'
import { type ItemDefinition, isDefault } from '../definitions/definition.ts'
import { toJson } from './to-json.ts'

/**
 * Returns the part of a creating statement that requests mails for new entries: a further expression of its `with`, or
 * nothing if no definition offers mail. Skips users that have mail switched off. The mail of a user with a daily digest is
 * due at its next hour.
 *
 * A task that is reopened or returns to a user can still have a request. The update locks it, so `gatherMails` leaves it until
 * this transaction commits: an earlier mail would be skipped, because its sender would still read the former task. The earlier
 * time applies, so the task stays in a digest that is due. Requests of one task never deadlock, because the caller holds the
 * lock of the task, and all other writers skip locked requests.
 *
 * @param received selects `user_id`, `item_id` and the `code` of the definition of each new entry
 */
export function requestMails(definitions: readonly ItemDefinition[], received: SQL): SQL {
  const mailed = definitions.filter(({ channels }) => channels.includes('Email'))
  if (mailed.length === 0) return sql``
  const kinds = mailed.map((definition) => ({
    code: definition.code,
    is_default: isDefault(definition, 'Email'),
  }))
  return sql`,
    mail_request as (
      insert into work_center.mail_requests as waiting (user_id, item_id, due_at)
      select r.user_id, r.item_id,
        case s.delivery
          when 'Daily' then work_center.next_digest_at(s.time_zone, s.daily_hour)
          else statement_timestamp()
        end
      from (${received}) r
      join jsonb_to_recordset(${toJson(kinds)}::jsonb) d (code text, is_default boolean) on d.code = r.code
      left join work_center.preferences p on p.user_id = r.user_id and p.code = r.code and p.channel = 'Email'
      left join work_center.mail_settings s on s.user_id = r.user_id
      where coalesce(p.is_enabled, d.is_default)
      on conflict (user_id, item_id) do update set due_at = least(waiting.due_at, excluded.due_at)
    )`
}
