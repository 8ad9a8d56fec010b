-- By default, autovacuum waits until a fifth of a table has changed. With 10,000,000 entries, counts would then read up to
-- 2,000,000 table rows instead of only their index, and that many deleted entries would take up space.
--
-- Older code runs against it. The change waits for a running vacuum of the table, but blocks no reads or writes.

alter table work_center.entries set (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_insert_scale_factor = 0.02
);
