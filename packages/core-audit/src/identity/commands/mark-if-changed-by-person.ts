import { roleTarget, userTarget } from '../../audit/security-events.ts'
import type { Tx } from '../../database/database.ts'
import { sql } from '../../database/sql.ts'

/** Where roles and their audit events are stored. */
export const roleRows = { table: sql`core_audit.roles`, ...roleTarget }

/** Where users and their audit events are stored. */
export const userRows = { table: sql`core_audit.users`, ...userTarget }

/**
 * Marks a role or user if an audit event shows that a person has changed it, and returns whether this is the case. Needed
 * only for rows without the mark: hosts of older releases write the event, but not the mark, and the event is removed with
 * its year. Lock the row with an earlier statement: a statement that waits for the lock does not see the events of the
 * change that it waited for.
 *
 * Audit events of seeds have no actor. A substitution changes no access. Uses `audit_events_by_target`.
 */
export async function markIfChangedByPerson(
  tx: Tx,
  { table, kind, typeCode }: typeof roleRows | typeof userRows,
  id: string,
): Promise<boolean> {
  const [marked] = await tx.execute(sql`
    update ${table}
    set is_changed_by_person = true
    where id = ${id}::uuid
      and exists (
        select from core_audit.audit_events e
        where e.target_id = ${id}::uuid
          and e.target_type_code = ${typeCode}
          and e.target_kind = ${kind}
          and e.actor_user_id is not null
          and e.action_code not in ('users.substitution_set', 'users.substitution_ended')
      )
    returning id`)
  return marked !== undefined
}
