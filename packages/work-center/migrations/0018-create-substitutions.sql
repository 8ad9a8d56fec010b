-- Users that handle the tasks of another user for a period. Additive; older code does not know the table.
-- compatible: older releases keep working

create table work_center.substitutions (
  user_id uuid constraint substitutions_pkey primary key,
  substitute_user_id uuid not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  -- The next time at which the substitute's view changes: the start or the end of the period.
  changes_at timestamptz not null,
  constraint substitutions_user_check check (user_id <> substitute_user_id),
  -- 180 days. An interval of days would depend on the time zone of the session.
  constraint substitutions_period_check check (from_at < until_at and until_at <= from_at + interval '4320 hours')
);

-- Answers: for which users does this user act?
create index substitutions_by_substitute on work_center.substitutions (substitute_user_id);

-- Answers: which period starts or ends next?
create index substitutions_by_change on work_center.substitutions (changes_at);
