-- Supervisors see the open tasks of all users. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which open task is the most important?
create index concurrently tasks_open_by_priority on work_center.tasks
((array_position(array['Low', 'Normal', 'High', 'Critical'], priority)) desc, sort_at desc, id desc) where closed_at is null;
