-- The outbox: events that commit with what they tell, and what each registered consumer still has to do with them.
-- Additive; older code does not know the tables.

create table core_audit.outbox_events (
  id uuid constraint outbox_events_pkey primary key,
  -- The order within a subject: its writers hold the subject's lock while they append, so positions are in commit order
  -- there. Between subjects they say nothing: a later position may commit first.
  position bigint generated always as identity,
  type text not null,
  source text not null,
  subject text collate "C" not null,
  time timestamptz not null default clock_timestamp(),
  -- Null for what the service did by itself.
  actor_user_id uuid constraint outbox_events_actor_user_id_fkey references core_audit.users (id),
  correlation_id text,
  causation_id text,
  schema_version integer not null,
  data jsonb not null,
  constraint outbox_events_position_key unique (position),
  constraint outbox_events_names_check check (type <> '' and source <> '' and subject <> ''),
  constraint outbox_events_schema_version_check check (schema_version > 0),
  constraint outbox_events_data_check check (jsonb_typeof(data) = 'object')
);

create table core_audit.outbox_consumers (
  name text constraint outbox_consumers_pkey primary key,
  registered_at timestamptz not null default clock_timestamp(),
  constraint outbox_consumers_name_check check (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(name) <= 100)
);

-- What one consumer has to do with one event. Claims change nothing that is indexed, so they are heap-only updates:
-- the free space is for them.
create table core_audit.outbox_deliveries (
  event_id uuid not null constraint outbox_deliveries_event_id_fkey references core_audit.outbox_events (id),
  -- No foreign key: every writer would lock the consumer's one row.
  consumer text collate "C" not null,
  -- The event's, so that one index holds the order.
  subject text collate "C" not null,
  position bigint not null,
  state text not null default 'pending',
  -- When it came into its state.
  state_since timestamptz not null default clock_timestamp(),
  -- Claims since it was appended or last retried.
  attempts integer not null default 0,
  available_at timestamptz not null default clock_timestamp(),
  -- When the newest attempt began.
  claimed_at timestamptz,
  lease_token uuid,
  lease_until timestamptz,
  constraint outbox_deliveries_pkey primary key (event_id, consumer),
  constraint outbox_deliveries_state_check check (state in ('pending', 'completed', 'dead', 'discarded')),
  constraint outbox_deliveries_attempts_check check (attempts >= 0),
  constraint outbox_deliveries_lease_check check (
    (lease_token is null) = (lease_until is null)
    and (lease_token is null or (state = 'pending' and claimed_at is not null))
  )
) with (fillfactor = 80);

-- Answers: which delivery of each subject comes next for this consumer, and what does it hold back? Finished deliveries
-- are not in it, however many there are.
create index outbox_deliveries_unfinished on core_audit.outbox_deliveries (consumer, subject, position)
where state in ('pending', 'dead');

-- Answers: which dead letters are there, the oldest first?
create index outbox_deliveries_dead on core_audit.outbox_deliveries (state_since, event_id)
where state = 'dead';

-- What became of each attempt. Append-only.
create table core_audit.outbox_attempts (
  id bigint generated always as identity constraint outbox_attempts_pkey primary key,
  event_id uuid not null,
  consumer text collate "C" not null,
  -- Begins at 1 again when an operator retries a dead letter.
  attempt integer not null,
  started_at timestamptz not null,
  ended_at timestamptz not null default clock_timestamp(),
  outcome text not null,
  -- What of the failure may be written down: never a parameter's value or the event's data.
  error jsonb,
  constraint outbox_attempts_delivery_fkey foreign key (event_id, consumer)
    references core_audit.outbox_deliveries (event_id, consumer),
  -- Abandoned: its process ended, or was too slow for its lease.
  constraint outbox_attempts_outcome_check check (outcome in ('completed', 'failed', 'abandoned')),
  constraint outbox_attempts_error_check check ((outcome = 'failed') = (error is not null))
);

-- Answers: what became of the attempts at this delivery?
create index outbox_attempts_by_delivery on core_audit.outbox_attempts (event_id, consumer);

-- Called by a consumer's package in its own migration. From its commit on, every event gets a delivery for the consumer,
-- whichever host appends it. A repeat changes nothing.
create function core_audit.register_outbox_consumer(consumer_name text) returns void
language sql
set search_path = pg_catalog
as $$
  insert into core_audit.outbox_consumers (name) values (consumer_name) on conflict (name) do nothing
$$;

create function core_audit.make_outbox_deliveries() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  insert into core_audit.outbox_deliveries (event_id, consumer, subject, position)
  select appended.id, consumers.name, appended.subject, appended.position
  from appended
  cross join core_audit.outbox_consumers consumers;
  return null;
end
$$;

create trigger outbox_events_make_deliveries
after insert on core_audit.outbox_events
referencing new table as appended
for each statement execute function core_audit.make_outbox_deliveries();

-- Held by the database, `always`: whatever session_replication_role says, for the owner too. Events and attempts never
-- change, and nothing of an event goes before all its deliveries are finished: only what was handled, or given up by an
-- operator, can be pruned.
create function core_audit.refuse_outbox_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

create function core_audit.refuse_outbox_loss() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
declare
  lost uuid;
begin
  if tg_table_name = 'outbox_events' then
    lost := old.id;
  else
    lost := old.event_id;
  end if;
  if exists (
    select from core_audit.outbox_deliveries
    where event_id = lost and state in ('pending', 'dead')
  ) then
    raise exception '% of an unfinished event is kept', tg_table_name using errcode = 'insufficient_privilege';
  end if;
  return old;
end
$$;

create trigger outbox_events_append_only
before update on core_audit.outbox_events
for each row execute function core_audit.refuse_outbox_change();

create trigger outbox_events_no_truncate
before truncate on core_audit.outbox_events
for each statement execute function core_audit.refuse_outbox_change();

create trigger outbox_events_no_loss
before delete on core_audit.outbox_events
for each row execute function core_audit.refuse_outbox_loss();

create trigger outbox_deliveries_no_truncate
before truncate on core_audit.outbox_deliveries
for each statement execute function core_audit.refuse_outbox_change();

create trigger outbox_deliveries_no_loss
before delete on core_audit.outbox_deliveries
for each row execute function core_audit.refuse_outbox_loss();

create trigger outbox_attempts_append_only
before update on core_audit.outbox_attempts
for each row execute function core_audit.refuse_outbox_change();

create trigger outbox_attempts_no_truncate
before truncate on core_audit.outbox_attempts
for each statement execute function core_audit.refuse_outbox_change();

create trigger outbox_attempts_no_loss
before delete on core_audit.outbox_attempts
for each row execute function core_audit.refuse_outbox_loss();

alter table core_audit.outbox_events enable always trigger outbox_events_append_only;
alter table core_audit.outbox_events enable always trigger outbox_events_no_truncate;
alter table core_audit.outbox_events enable always trigger outbox_events_no_loss;
alter table core_audit.outbox_deliveries enable always trigger outbox_deliveries_no_truncate;
alter table core_audit.outbox_deliveries enable always trigger outbox_deliveries_no_loss;
alter table core_audit.outbox_attempts enable always trigger outbox_attempts_append_only;
alter table core_audit.outbox_attempts enable always trigger outbox_attempts_no_truncate;
alter table core_audit.outbox_attempts enable always trigger outbox_attempts_no_loss;
