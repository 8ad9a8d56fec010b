-- Sets the columns of 0018 for the changes that audit events record. A substitution changes no access. Older code runs
-- against it.
--
-- This is a file of its own, so that no request waits while it reads the events. The variables are filled before the first
-- update: only the changed rows are locked, and only for the updates.
-- compatible: older releases keep working

do $do$
declare
  role_ids uuid[] := array(
    select r.id
    from core_audit.roles r
    where exists (
      select from core_audit.audit_events e
      where e.target_id = r.id
        and e.target_type_code = 'system.role'
        and e.target_kind = 'Role'
        and e.actor_user_id is not null
    )
  );
  user_ids uuid[] := array(
    select u.id
    from core_audit.users u
    where exists (
      select from core_audit.audit_events e
      where e.target_id = u.id
        and e.target_type_code = 'system.user'
        and e.target_kind = 'User'
        and e.actor_user_id is not null
        and e.action_code not in ('users.substitution_set', 'users.substitution_ended')
    )
  );
begin
  update core_audit.roles set is_changed_by_person = true where id = any(role_ids);
  update core_audit.users set is_changed_by_person = true where id = any(user_ids);
end
$do$;
