-- Supervisors see the open tasks of all users. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which open task is due next?
create index concurrently tasks_open_by_due on work_center.tasks ((coalesce(due_at, 'infinity'::timestamptz)), sort_at desc, id desc)
where closed_at is null;
