-- The clock finds tasks with a reminder or an escalation that is due. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which reminder or escalation of an open task is next?
create index concurrently tasks_notices on work_center.tasks (least(reminds_at, escalates_at))
where closed_at is null and (reminds_at is not null or escalates_at is not null);
