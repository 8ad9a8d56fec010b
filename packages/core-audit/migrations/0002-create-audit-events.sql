-- The audit log. Additive; older code does not know the table.

create table core_audit.audit_events (
  id uuid constraint audit_events_pkey primary key,
  -- The package that wrote the event: decides who may see it.
  module text not null,
  target_kind text not null,
  target_type_code text not null,
  target_id uuid not null,
  action_code text not null,
  -- The clock at the insert, not the transaction's start: a writer that waited for a lock comes after the one it waited for.
  occurred_at timestamptz not null default clock_timestamp(),
  -- Null for what the service did by itself.
  actor_user_id uuid constraint audit_events_actor_user_id_fkey references core_audit.users (id),
  correlation_id text,
  metadata jsonb,
  changes jsonb not null default '[]',
  constraint audit_events_names_check check (
    module <> '' and target_kind <> '' and target_type_code <> '' and action_code <> ''
  ),
  constraint audit_events_changes_check check (jsonb_typeof(changes) = 'array'),
  constraint audit_events_metadata_check check (jsonb_typeof(metadata) = 'object')
);

-- Answers: what happened to this object, newest first?
create index audit_events_by_target on core_audit.audit_events
  (target_id, target_type_code, target_kind, occurred_at desc, id desc);

-- Append-only, held by the database: `always` fires whatever session_replication_role says, for the owner too.
create function core_audit.refuse_audit_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  raise exception 'audit events are append-only' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_events_append_only
before update or delete on core_audit.audit_events
for each row execute function core_audit.refuse_audit_change();

create trigger audit_events_no_truncate
before truncate on core_audit.audit_events
for each statement execute function core_audit.refuse_audit_change();

alter table core_audit.audit_events enable always trigger audit_events_append_only;
alter table core_audit.audit_events enable always trigger audit_events_no_truncate;
