-- Seals: hashes of the audit events in order of their ids. Each seal includes the hash of the one before it, so a change of an
-- event behind the triggers contradicts its seal, and a change of a seal contradicts all later ones.
-- compatible: older releases keep working

create table core_audit.audit_seals (
  -- 1, 2, 3, … without gaps. The key also prevents two seals with the same predecessor.
  sequence bigint constraint audit_seals_pkey primary key,
  -- The seal covers all events after the last event of the seal before it, up to and including its own last event.
  first_event_id uuid not null,
  last_event_id uuid not null,
  event_count integer not null,
  -- The SHA-256 of all ids and contents.
  events_hash bytea not null,
  -- 12 bytes for each event, to find the one that differs: 4 of the hash of its id, 8 of the hash of its content.
  event_marks bytea not null,
  sealed_at timestamptz not null,
  -- The SHA-256 of all columns above and the hash of the seal before.
  hash bytea not null,
  constraint audit_seals_sequence_check check (sequence > 0),
  constraint audit_seals_events_check check (
    first_event_id <= last_event_id and event_count > 0 and octet_length(event_marks) = 12 * event_count
  ),
  constraint audit_seals_hashes_check check (octet_length(events_hash) = 32 and octet_length(hash) = 32)
);

-- Hashes cannot be compressed.
alter table core_audit.audit_seals alter column event_marks set storage external;

create function core_audit.refuse_audit_seal_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  raise exception 'audit seals are append-only' using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_seals_append_only
before update or delete on core_audit.audit_seals
for each row execute function core_audit.refuse_audit_seal_change();

create trigger audit_seals_no_truncate
before truncate on core_audit.audit_seals
for each statement execute function core_audit.refuse_audit_seal_change();

-- `always` also fires for the owner and in every session replication role.
alter table core_audit.audit_seals enable always trigger audit_seals_append_only;
alter table core_audit.audit_seals enable always trigger audit_seals_no_truncate;
