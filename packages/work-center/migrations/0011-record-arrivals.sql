-- "Mark all as read" must leave items unread that arrived after the user's page. Times cannot tell, because a transaction can
-- commit after a page although its time is earlier, and an old task reaches a new member of its role later. So each entry
-- stores the transaction in which it arrived, and a page returns its snapshot. Entries without this value arrived earlier than
-- any page. Older code runs against it.
-- compatible: older releases keep working

alter table work_center.entries
  add column arrived_in xid8,
  alter column arrived_in set default pg_current_xact_id();
