-- Completed executions, to answer repeats of their keys. Additive; older code does not know the table.

create table document_actions.executions (
  id uuid constraint executions_pkey primary key,
  actor_user_id uuid not null,
  idempotency_key text not null,
  -- SHA-256 over document, action and body (RFC 8785).
  fingerprint bytea not null,
  document_type text not null,
  document_id uuid not null,
  action_code text not null,
  -- The answer as it was sent. Text and not jsonb: kept as it is, never searched.
  result text not null,
  completed_at timestamptz not null default clock_timestamp(),
  -- A key belongs to its actor.
  constraint executions_actor_key unique (actor_user_id, idempotency_key),
  constraint executions_idempotency_key_check check (idempotency_key ~ '^[!-~]{1,200}$'),
  constraint executions_fingerprint_check check (octet_length(fingerprint) = 32),
  constraint executions_names_check check (document_type <> '' and action_code <> '')
);

-- Answers: which executions are past their retention?
create index executions_by_completion on document_actions.executions (completed_at);
