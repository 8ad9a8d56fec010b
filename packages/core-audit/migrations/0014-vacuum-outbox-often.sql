-- By default, autovacuum waits until a fifth of a table has changed. The claims of a busy outbox and its retention change rows all
-- the time, so dead rows would take up a fifth of the tables and of the index that claims read.
--
-- Older code runs against it. The change waits for a running vacuum of the tables, but blocks no reads or writes.

alter table core_audit.outbox_events set (autovacuum_vacuum_scale_factor = 0.02);
alter table core_audit.outbox_deliveries set (autovacuum_vacuum_scale_factor = 0.02);
alter table core_audit.outbox_attempts set (autovacuum_vacuum_scale_factor = 0.02);
