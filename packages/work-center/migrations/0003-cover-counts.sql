-- The counts are answered out of the index of open entries, without the rows: a user's lie scattered over the table,
-- each among others', and reading them would cost a page of it each. Older code runs against it.
-- transaction: none

-- Answers: which open tasks, or which notifications, does this user have, newest first? And how many, of each tab?
create index concurrently entries_open_by_kind on work_center.entries (user_id, kind, sort_at desc, item_id desc)
include (role_id, view_permission, resource_code, due_at, expires_at, read_at, snoozed_until, is_open)
where is_open and is_visible;
