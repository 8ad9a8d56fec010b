-- Lists in the order of priorities, highest first. The columns have the reasons of entries_by_due_date. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which items need this user's attention, which tasks are open, and which are closed, by priority?
create index concurrently entries_by_priority on work_center.entries (
  user_id,
  is_open,
  (case priority when 'Critical' then 4 when 'High' then 3 when 'Normal' then 2 when 'Low' then 1 else 0 end) desc,
  sort_at desc,
  item_id desc,
  kind
)
where is_visible and (kind = 'Task' or read_at is null);
