-- Validates the checks of the previous migration. Reads the table without blocking its readers or writers.
-- compatible: older releases keep working

alter table attachments.attachments
  validate constraint attachments_status_check,
  validate constraint attachments_completed_check,
  validate constraint attachments_deleted_check,
  validate constraint attachments_scan_check;
