-- The seed at the start of a host finds its roles by their codes. A person can rename a role: then the seed must neither
-- create the role again nor refuse to start. The new column keeps the code that the seed uses for the role.
--
-- Roles that no person has changed get their present code: a seed has created them. The next seed sets the code of the other
-- roles that it names. Older code runs against it and leaves the column null in the roles that it adds. The table has few rows,
-- so one transaction adds, fills and indexes the column.
-- compatible: older releases keep working

alter table core_audit.roles add column seed_code text;
update core_audit.roles set seed_code = code where not is_changed_by_person;
alter table core_audit.roles add constraint roles_seed_code_key unique (seed_code);
