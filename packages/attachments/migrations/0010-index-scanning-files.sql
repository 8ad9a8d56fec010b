-- Answers: which file should be scanned next?
--
-- Older code still runs: it does not use this index.
-- compatible: older releases keep working
-- transaction: none

create index concurrently attachments_scanning_by_due on attachments.attachments (scan_due_at) where status = 'scanning';
