-- Lists in the order of due dates, soonest first. The negative time lets one row comparison continue a page, because all columns
-- have the same direction then. The last column is not part of the order: with it, the tab of tasks skips unread notifications
-- without a read of the table. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which items need this user's attention, which tasks are open, and which are closed, by due date?
create index concurrently entries_by_due_date on work_center.entries (
  user_id,
  is_open,
  (coalesce(-extract(epoch from due_at at time zone 'UTC'), '-Infinity')) desc,
  sort_at desc,
  item_id desc,
  kind
)
where is_visible and (kind = 'Task' or read_at is null);
