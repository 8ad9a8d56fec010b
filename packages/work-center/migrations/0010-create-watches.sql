-- Users follow business objects, and a worker notifies them of what others do. Older code runs against it.

create table work_center.watches (
  user_id uuid not null,
  target_kind text not null,
  target_type_code text not null,
  target_id uuid not null,
  -- Earlier events are not reported.
  watched_at timestamptz not null default clock_timestamp(),
  constraint watches_pkey primary key (target_id, target_type_code, target_kind, user_id),
  constraint watches_target_check check (
    target_kind in ('CatalogItem', 'Document', 'GeneralJournalEntry') and target_type_code <> ''
  )
);

-- Answers: since when does anybody follow anything?
create index watches_by_time on work_center.watches (watched_at);

-- When a follower was last notified of an actor's work on an object: the start of their five minutes.
create table work_center.watch_windows (
  user_id uuid not null,
  target_kind text not null,
  target_type_code text not null,
  target_id uuid not null,
  actor_user_id uuid not null,
  started_at timestamptz not null,
  constraint watch_windows_pkey primary key (target_id, target_type_code, target_kind, actor_user_id, user_id)
);

-- Answers: which windows are over?
create index watch_windows_by_start on work_center.watch_windows (started_at);

-- The last event of the audit log that was handled. It commits with the notifications, so each event is handled once.
create table work_center.watch_position (
  is_only boolean not null default true,
  last_event_id uuid not null,
  constraint watch_position_pkey primary key (is_only),
  constraint watch_position_only_check check (is_only)
);

insert into work_center.watch_position (last_event_id) values (core_audit.event_id());
