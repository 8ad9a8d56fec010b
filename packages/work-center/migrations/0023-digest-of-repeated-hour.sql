-- On the day when clocks go back, an hour is repeated: compare times, not what the clocks show. Older code runs against it.
-- compatible: older releases keep working

-- The first full hour `daily_hour` in a time zone after a time. A time zone that this server does not know counts as UTC: it must
-- not stop the event that creates an item.
create function work_center.digest_after(after timestamptz, zone text, daily_hour integer) returns timestamptz
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
    return work_center.digest_after(after, 'UTC', daily_hour);
end
$$;

create or replace function work_center.next_digest_at(zone text, daily_hour integer) returns timestamptz
language sql
stable
set search_path = pg_catalog
return work_center.digest_after(statement_timestamp(), zone, daily_hour);
