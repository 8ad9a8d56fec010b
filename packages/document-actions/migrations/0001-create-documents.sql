-- Documents of verticals without tables of their own, and the links between documents and what was derived from them.
-- First migration: no older code runs against it.

create schema document_actions;

create table document_actions.documents (
  id uuid constraint documents_pkey primary key,
  type_code text not null,
  number text not null,
  display text not null,
  status text not null default 'Draft',
  version integer not null default 1,
  payload jsonb not null default '{"fields": {}}',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint documents_number_key unique (type_code, number),
  constraint documents_type_code_check check (type_code <> ''),
  constraint documents_number_check check (number <> ''),
  constraint documents_status_check check (status in ('Draft', 'Posted', 'MarkedForDeletion')),
  constraint documents_version_check check (version >= 1),
  constraint documents_payload_check check (coalesce(jsonb_typeof(payload -> 'fields') = 'object', false))
);

-- Answers: which documents of this type are there, newest first?
create index documents_by_type on document_actions.documents (type_code, id desc);

create table document_actions.derivations (
  -- The execution that derived it. Executions are pruned in time, derivations stay: no foreign key.
  execution_id uuid constraint derivations_pkey primary key,
  action_code text not null,
  source_type_code text not null,
  source_id uuid not null,
  created_type_code text not null,
  created_id uuid not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint derivations_created_key unique (created_id, created_type_code),
  constraint derivations_names_check check (
    action_code <> '' and source_type_code <> '' and created_type_code <> ''
  )
);

-- Answers: what was derived from this document?
create index derivations_by_source on document_actions.derivations (source_id, source_type_code);

-- What verticals may read of it: one row a derived document, with its source.
create view document_actions.derived_documents as
  select action_code, source_type_code, source_id, created_type_code, created_id, created_at
  from document_actions.derivations;
