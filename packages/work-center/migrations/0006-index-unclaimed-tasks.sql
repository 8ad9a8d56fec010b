-- A user who gains a role becomes a recipient of its unclaimed tasks. Older code runs against it.
-- transaction: none

-- Answers: which tasks of this role has nobody claimed yet?
create index concurrently tasks_unclaimed on work_center.tasks (assigned_role_id)
where closed_at is null and claimed_by_user_id is null and assigned_role_id is not null;
