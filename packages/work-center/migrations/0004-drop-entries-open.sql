-- The index `entries_open_by_kind` answers the same questions. Older code runs against it.
-- transaction: none

drop index concurrently if exists work_center.entries_open;
