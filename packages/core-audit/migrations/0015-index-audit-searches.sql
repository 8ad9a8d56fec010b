-- A search over all objects finds the events of an actor, an action or a type in the order of their ids. New partitions get
-- the indexes when they are attached. A partition that already has events is not indexed here, because writers would wait:
-- see "Search" in docs/guides/audit-log.md for its statements.
-- compatible: older releases keep working

-- Answers: what did this user do, newest first?
create index audit_events_by_actor on only core_audit.audit_events (actor_user_id, id);

-- Answers: when was this action executed, newest first?
create index audit_events_by_action on only core_audit.audit_events (action_code, id);

-- Answers: what happened to the objects of this type, newest first?
create index audit_events_by_type on only core_audit.audit_events (target_type_code, id);

do $do$
declare
  partition text;
  is_empty boolean;
  suffix text;
  columns text;
begin
  for partition in select name from core_audit.audit_partitions() loop
    execute format('select not exists (select from core_audit.%I)', partition) into is_empty;
    continue when not is_empty;
    for suffix, columns in values ('actor', 'actor_user_id'), ('action', 'action_code'), ('type', 'target_type_code') loop
      execute format('create index %I on core_audit.%I (%I, id)', partition || '_by_' || suffix, partition, columns);
      execute format(
        'alter index core_audit.%I attach partition core_audit.%I', 'audit_events_by_' || suffix, partition || '_by_' || suffix
      );
    end loop;
  end loop;
end
$do$;
