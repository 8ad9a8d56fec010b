-- On the day when clocks go back, an hour is repeated: compare times, not what the clocks show. Older code runs against it.
-- compatible: older releases keep working

-- The next full hour `daily_hour` in a time zone after `after`. A time zone that this server does not know counts as UTC: it must
-- not stop the event that creates an item.
drop function work_center.next_digest_at(text, integer);
create function work_center.next_digest_at(zone text, daily_hour integer, after timestamptz default statement_timestamp())
returns timestamptz
language plpgsql
stable
set search_path = pg_catalog
as $$
declare
  digest timestamp;
begin
  digest := date_trunc('day', after at time zone zone) + make_interval(hours => daily_hour);
  if digest at time zone zone <= after then
    digest := digest + interval '1 day';
  end if;
  return digest at time zone zone;
exception
  when invalid_parameter_value then
    return work_center.next_digest_at('UTC', daily_hour, after);
end
$$;
