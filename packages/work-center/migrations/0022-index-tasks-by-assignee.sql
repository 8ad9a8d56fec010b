-- Supervisors see the open tasks of one user, and the number of them. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which open tasks are assigned to this user?
create index concurrently tasks_assigned on work_center.tasks (assigned_user_id)
where assigned_user_id is not null and closed_at is null;
