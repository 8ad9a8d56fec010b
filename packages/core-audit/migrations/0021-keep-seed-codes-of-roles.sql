-- The seed at the start of a host finds its roles by their codes. A person can rename a role: then the seed must neither
-- create the role again nor refuse to start. The new column keeps the code that the seed uses for the role.
--
-- Existing rows get their present code, because nothing else is known of them. Older code runs against it and leaves the
-- column null in the roles that it adds: the next seed that names such a role sets it. The table has few rows, so one
-- transaction adds, fills and indexes the column.
-- compatible: older releases keep working

alter table core_audit.roles add column seed_code text;
update core_audit.roles set seed_code = code;
alter table core_audit.roles add constraint roles_seed_code_key unique (seed_code);
