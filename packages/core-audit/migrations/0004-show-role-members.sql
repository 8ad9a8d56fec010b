-- What other packages may read of who may what: active users with their active roles. Additive.

create view core_audit.active_role_members as
select ur.user_id, r.id as role_id, r.code as role_code, r.permissions
from core_audit.user_roles ur
join core_audit.roles r on r.id = ur.role_id and r.is_active
join core_audit.users u on u.id = ur.user_id and u.is_active;

-- Whether somebody may come in at all: for what outlives a request, such as a socket.
create view core_audit.user_accounts as
select id, subject, is_active from core_audit.users;
