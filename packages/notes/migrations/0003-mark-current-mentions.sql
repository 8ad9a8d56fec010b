-- An edit checks all mentions of its text again. The row of a user who may no longer read the object stays, so that nobody is
-- notified twice, but it is no mention of the current text.
--
-- Older code runs against it: it shows and stores all rows as mentions, and the next edit by newer code checks them. A column with
-- a constant default rewrites nothing.
-- compatible: older releases keep working

alter table notes.mentions add column is_current boolean not null default true;
