-- Validates the check of the channel without blocking readers or writers. Older code runs against it.
-- compatible: older releases keep working

alter table work_center.preferences validate constraint preferences_channel_check;
