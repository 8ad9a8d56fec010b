-- The seed at the start of a host must not restore access that a person revoked. Audit events were the only record of such a
-- change, and `audit drop` removes old events. Now the role or user itself records that a person has created or changed it.
--
-- Older code runs against it, but does not set the columns, so the seed also reads the events. Each column takes a brief lock
-- and rewrites nothing.
-- compatible: older releases keep working

alter table core_audit.roles add column is_changed_by_person boolean not null default false;
alter table core_audit.users add column is_changed_by_person boolean not null default false;
