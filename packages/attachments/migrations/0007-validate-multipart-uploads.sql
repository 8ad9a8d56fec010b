-- Validates the check of the previous migration. Reads the table without blocking its readers or writers.
-- compatible: older releases keep working

alter table attachments.attachments validate constraint attachments_multipart_check;
