-- Users can switch e-mail on or off for a definition. Only drops and replaces the check of the channel, which older code
-- satisfies; the next migration validates it.
-- compatible: older releases keep working

alter table work_center.preferences
  drop constraint preferences_channel_check,
  add constraint preferences_channel_check check (channel in ('InApp', 'Email')) not valid;
