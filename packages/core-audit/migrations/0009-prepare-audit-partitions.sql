-- The audit log becomes a table with yearly partitions: the ids of a partition begin in its year. This file creates the
-- function for ids, and the bound of the existing table, which becomes the first partition in 0012. New events must obey
-- the bound at once; 0011 proves it for the existing ones.
--
-- Older code still runs: its ids have the time of its host, which is below the bound.

-- An event's id: a UUIDv7 (RFC 9562 §5.7) with the server's clock at the insert, so a writer that waited for a lock comes
-- after the one it waited for. Ids of one session always ascend.
do $do$
begin
  if current_setting('server_version_num')::integer >= 180000 then
    create function core_audit.event_id() returns uuid
    language sql volatile parallel safe
    return uuidv7();
  else
    -- The 12 bits after the version are a fraction of the millisecond (method 3 of RFC 9562 §6.2).
    create function core_audit.event_id() returns uuid
    language plpgsql volatile parallel safe
    as $$
    declare
      at timestamptz := clock_timestamp();
      micros bigint := extract(epoch from at) * 1000000;
    begin
      -- Ends in a later microsecond, so the next id is larger.
      while clock_timestamp() = at loop
      end loop;
      return (
        lpad(to_hex(micros / 1000), 12, '0')
        || '7' || lpad(to_hex(micros % 1000 * 4096 / 1000), 3, '0')
        || substr(gen_random_uuid()::text, 20)
      )::uuid;
    end
    $$;
  end if;
end
$do$;

-- The smallest id of an event at or after this instant.
create function core_audit.first_event_id(at timestamptz) returns uuid
language sql immutable strict parallel safe
return (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid;

-- The bound is the first January that is at least one month ahead, so that there is time for 0010 to 0012. If the clock of
-- a host was wrong, it is the January after the newest id.
do $do$
declare
  newest uuid := (select id from core_audit.audit_events order by id desc limit 1);
  newest_at timestamptz := to_timestamp(
    ('x0000' || left(replace(newest::text, '-', ''), 12))::bit(64)::bigint / 1000.0
  );
  at timestamp := greatest(now() + interval '1 month', newest_at) at time zone 'UTC';
begin
  execute format(
    'alter table core_audit.audit_events add constraint audit_events_id_check check (id < %L) not valid',
    core_audit.first_event_id((date_trunc('year', at) + interval '1 year') at time zone 'UTC')
  );
end
$do$;
