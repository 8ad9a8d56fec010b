-- The users that notes mention, as far as they may read the object. Older code runs against it.

create table notes.mentions (
  -- No foreign key: creating one would block writers of notes.
  note_id uuid not null,
  user_id uuid not null,
  -- Rows stay when the mention is removed from the text, so that nobody is notified twice about one note.
  mentioned_at timestamptz not null default statement_timestamp(),
  constraint mentions_pkey primary key (note_id, user_id)
);
