-- Plain-text notes on business objects. First migration: no older code runs against it.

create schema notes;

create table notes.notes (
  id uuid constraint notes_pkey primary key,
  -- The parent belongs to the vertical: a reference without a foreign key.
  target_kind text not null,
  target_type_code text not null,
  target_id uuid not null,
  text text not null,
  version integer not null default 1,
  created_at timestamptz not null default statement_timestamp(),
  created_by_user_id uuid not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by_user_id uuid not null,
  -- Deletion is logical: the row stays, lists and counts leave it out.
  deleted_at timestamptz,
  constraint notes_target_check check (
    target_kind in ('CatalogItem', 'Document', 'GeneralJournalEntry') and target_type_code <> ''
  ),
  -- The deployment's own limit is lower or equal; char_length counts code points.
  constraint notes_text_check check (char_length(text) between 1 and 100000),
  constraint notes_version_check check (version >= 1)
);

-- Answers: which notes does this object have, newest first, and how many?
create index notes_by_target on notes.notes
  (target_id, target_type_code, target_kind, id desc)
  where deleted_at is null;
