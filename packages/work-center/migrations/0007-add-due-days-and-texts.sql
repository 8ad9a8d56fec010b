-- Tasks that are due on a day, texts that clients translate, and the times of reminders and escalations. Older code runs
-- against it: it leaves the new columns empty.
-- compatible: older releases keep working

alter table work_center.tasks
  -- The due day. The task is overdue from due_at, when this day has ended in UTC−12.
  add column due_on date,
  add column title_text jsonb,
  add column description_text jsonb,
  -- Null without a reminder or an escalation, and after it was sent.
  add column reminds_at timestamptz,
  add column escalates_at timestamptz;

alter table work_center.notifications
  add column title_text jsonb,
  add column description_text jsonb;
