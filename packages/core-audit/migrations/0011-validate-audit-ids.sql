-- Proves the bound of 0009 for the existing events, so that 0012 does not need to read them. Readers and writers continue
-- while it reads the table.
--
-- Older code still runs.

alter table core_audit.audit_events validate constraint audit_events_id_check;
