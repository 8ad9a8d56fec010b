-- What users have switched off or on for themselves. Additive; older code does not know the table.

create table work_center.preferences (
  user_id uuid not null,
  code text not null,
  channel text not null,
  is_enabled boolean not null,
  updated_at timestamptz not null default clock_timestamp(),
  constraint preferences_pkey primary key (user_id, code, channel),
  constraint preferences_code_check check (code <> ''),
  constraint preferences_channel_check check (channel in ('InApp'))
);
