-- What other packages may read of a role: its code and name, also if it has no member. Additive.
-- compatible: older releases keep working

create view core_audit.role_names as
select id, code, name, is_active from core_audit.roles;
