-- Other packages read the addresses of users through this view, to send mail. Older code does not know it.
-- compatible: older releases keep working

create view core_audit.user_addresses as
select id, display_name, email from core_audit.users where is_active;
