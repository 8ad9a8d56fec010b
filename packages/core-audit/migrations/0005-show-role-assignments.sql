-- What other packages may read of who has which role, whether it counts now or not: to know whom a change of a role, or its
-- being switched off, concerns. Additive.

create view core_audit.role_assignments as
select user_id, role_id
from core_audit.user_roles;
