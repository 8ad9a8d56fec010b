-- A claim looks at the first pending delivery of each subject. With many dead letters, it looked at every delivery behind them again
-- and again. The new column lets it skip them: a claim marks a delivery once it has found it behind a dead letter.
--
-- Older code ignores the column, and finds the dead letters itself. The trigger also corrects the column for its decisions.
-- compatible: older releases keep working

alter table core_audit.outbox_deliveries add column is_blocked boolean not null default false;

-- Ends the wait of the deliveries behind a dead letter when it is retried or discarded. Their age restarts, because no consumer could
-- handle them earlier. Another dead letter of the subject can still block them: the next claim marks them again.
create function core_audit.unblock_outbox_deliveries() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  update core_audit.outbox_deliveries
  set is_blocked = false, state_since = clock_timestamp()
  where consumer = old.consumer and state = 'pending' and is_blocked in (false, true)
    and subject = old.subject and position > old.position;
  return null;
end
$$;

create trigger outbox_deliveries_unblock
after update of state on core_audit.outbox_deliveries
for each row when (old.state = 'dead' and new.state <> 'dead')
execute function core_audit.unblock_outbox_deliveries();

alter table core_audit.outbox_deliveries enable always trigger outbox_deliveries_unblock;
