-- A host grants everything to the roles with its administrator codes. A user who manages roles could choose the code of an
-- administrator role before the release that registers it. The new column remembers codes that a user without full access has
-- chosen: such a role does not make its users administrators, and a host that registers the code does not start.
--
-- All existing codes count as trusted, as do those that older code adds. The table has few rows.
-- compatible: older releases keep working

alter table core_audit.roles add column is_code_trusted boolean not null default true;
