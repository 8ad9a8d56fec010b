-- Files wait for a malware scanner as `scanning`, and then become `ready` or `quarantined`. Only adds columns without a volatile
-- default and replaces checks, which all rows satisfy; the next migration validates them. Older releases would let users download
-- such files, so turn scanning on after all hosts have this release.
-- compatible: older releases keep working

alter table attachments.attachments
  add column scan_due_at timestamptz,
  add column scan_attempts integer not null default 0,
  drop constraint attachments_status_check,
  drop constraint attachments_completed_check,
  drop constraint attachments_deleted_check,
  add constraint attachments_status_check check (
    status in ('pending', 'scanning', 'ready', 'quarantined', 'deleted')
  ) not valid,
  add constraint attachments_completed_check check (
    case status when 'ready' then completed_at is not null when 'deleted' then true else completed_at is null end
  ) not valid,
  add constraint attachments_deleted_check check (
    (status in ('quarantined', 'deleted')) = (deleted_at is not null)
  ) not valid,
  add constraint attachments_scan_check check ((status = 'scanning') = (scan_due_at is not null)) not valid;
