-- Endpoints of other systems, and what is sent to them. First migration: no older code runs against it.

create schema webhooks;

create table webhooks.endpoints (
  id uuid constraint endpoints_pkey primary key,
  url text not null,
  -- Empty for all events.
  event_types text[] not null,
  is_active boolean not null default true,
  -- Signs each request. After a rotation, the previous secret signs too until `previous_until`.
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint endpoints_url_check check (url ~ '^https?://'),
  constraint endpoints_secret_check check (secret like 'whsec\_%'),
  constraint endpoints_previous_check check ((previous_secret is null) = (previous_until is null))
);

-- One row for each event and endpoint.
create table webhooks.deliveries (
  id uuid constraint deliveries_pkey primary key,
  endpoint_id uuid not null constraint deliveries_endpoint_id_fkey references webhooks.endpoints (id),
  event_id uuid not null,
  event_type text not null,
  -- The exact text of the request: a repeated request is identical, except for its timestamp and signature.
  body text not null,
  state text not null default 'pending',
  state_since timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  -- The next attempt, or the end of the lease of the current one.
  available_at timestamptz not null default clock_timestamp(),
  lease_token uuid,
  failure jsonb,
  constraint deliveries_event_key unique (event_id, endpoint_id),
  constraint deliveries_state_check check (state in ('pending', 'sent', 'skipped', 'dead')),
  constraint deliveries_attempts_check check (attempts >= 0)
) with (fillfactor = 80);

-- Answers: which requests are due?
create index deliveries_pending on webhooks.deliveries (available_at) where state = 'pending';

-- Answers: which requests are past their retention, and which are dead letters?
create index deliveries_ended on webhooks.deliveries (state, state_since) where state <> 'pending';

-- From here on every event of the outbox has a delivery for webhooks.
select core_audit.register_outbox_consumer('webhooks');
