-- The counterpart of core_audit.register_outbox_consumer. Events are kept until all registered consumers have finished them, so a
-- consumer that no host runs any more makes the outbox grow without limit.
--
-- Older code runs against it: it only adds a function.
-- compatible: older releases keep working

-- Ends the deliveries to a consumer: discards its unfinished deliveries and returns their number, or returns null if it is not
-- registered and has none. The retention deletes them with their events.
--
-- The first statement takes most of the time, and blocks nobody. Then appends wait for the end of the transaction, and the lock
-- waits for transactions that have appended an event, because their deliveries are not visible before. A transaction with one
-- snapshot (repeatable read) can still add a delivery afterwards: a repetition discards it.
create function core_audit.unregister_outbox_consumer(consumer_name text) returns bigint
language plpgsql
set search_path = pg_catalog
as $$
declare
  discarded bigint;
  rest bigint;
  was_registered boolean;
begin
  update core_audit.outbox_deliveries
  set state = 'discarded', state_since = clock_timestamp(), lease_token = null, lease_until = null
  where consumer = consumer_name and state in ('pending', 'dead');
  get diagnostics discarded = row_count;

  lock table core_audit.outbox_consumers in access exclusive mode;
  delete from core_audit.outbox_consumers where name = consumer_name;
  was_registered := found;

  update core_audit.outbox_deliveries
  set state = 'discarded', state_since = clock_timestamp(), lease_token = null, lease_until = null
  where consumer = consumer_name and state in ('pending', 'dead');
  get diagnostics rest = row_count;

  if not was_registered and discarded + rest = 0 then
    return null;
  end if;
  return discarded + rest;
end
$$;
