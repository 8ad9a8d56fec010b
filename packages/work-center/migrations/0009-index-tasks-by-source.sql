-- The activity of an object lists its tasks. Older code runs against it.
-- transaction: none

-- Answers: which tasks are about this object, newest first?
create index concurrently tasks_by_source on work_center.tasks (entity_id, resource_code, id);
