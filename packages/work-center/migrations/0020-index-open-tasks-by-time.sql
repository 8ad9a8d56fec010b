-- Supervisors see the open tasks of all users. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which open task is the newest?
create index concurrently tasks_open_by_time on work_center.tasks (sort_at desc, id desc) where closed_at is null;
