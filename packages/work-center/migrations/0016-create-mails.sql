-- Mails that announce items, and how each user wants to receive them. Older code does not know the tables.
-- compatible: older releases keep working

create table work_center.mail_settings (
  user_id uuid constraint mail_settings_pkey primary key,
  delivery text not null,
  -- The time zone and the hour of the daily digest.
  time_zone text not null,
  daily_hour integer not null,
  constraint mail_settings_delivery_check check (delivery in ('Immediately', 'Daily')),
  constraint mail_settings_time_zone_check check (time_zone <> ''),
  constraint mail_settings_daily_hour_check check (daily_hour between 0 and 23)
);

-- One row for each mail to one user, with one item or a digest.
create table work_center.mails (
  -- Also the Message-ID, so that a repeated mail is recognized.
  id uuid constraint mails_pkey primary key,
  user_id uuid not null,
  item_ids uuid[] not null,
  is_digest boolean not null,
  state text not null default 'pending',
  state_since timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  -- The next attempt, or the end of the lease of the current one.
  available_at timestamptz not null default clock_timestamp(),
  lease_token uuid,
  failure jsonb,
  constraint mails_state_check check (state in ('pending', 'sent', 'skipped', 'dead')),
  constraint mails_attempts_check check (attempts >= 0)
) with (fillfactor = 80);

-- Answers: which mails are due?
create index mails_pending on work_center.mails (available_at) where state = 'pending';

-- Answers: which mails are past their retention, and which are dead letters?
create index mails_ended on work_center.mails (state, state_since) where state <> 'pending';

-- One row for each item and recipient that waits for its mail.
create table work_center.mail_requests (
  user_id uuid not null,
  item_id uuid not null,
  due_at timestamptz not null,
  constraint mail_requests_pkey primary key (user_id, item_id)
);

-- Answers: which items are due for a mail?
create index mail_requests_due on work_center.mail_requests (due_at);

-- The next full hour `daily_hour` in a time zone. A time zone that this server does not know counts as UTC: it must not stop
-- the event that creates an item.
create function work_center.next_digest_at(zone text, daily_hour integer) returns timestamptz
language plpgsql
stable
set search_path = pg_catalog
as $$
declare
  now_there timestamp;
  digest timestamp;
begin
  now_there := statement_timestamp() at time zone zone;
  digest := date_trunc('day', now_there) + make_interval(hours => daily_hour);
  if digest <= now_there then
    digest := digest + interval '1 day';
  end if;
  return digest at time zone zone;
exception
  when invalid_parameter_value then
    return work_center.next_digest_at('UTC', daily_hour);
end
$$;
