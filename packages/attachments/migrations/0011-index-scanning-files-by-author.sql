-- Users take turns in scans, so the search for the next file jumps from author to author, in first and in repeated attempts.
-- Answers: which file of this author has waited longest?
--
-- Older code still runs: it does not use this index.
-- compatible: older releases keep working
-- transaction: none

create index concurrently attachments_scanning_by_author
on attachments.attachments ((scan_attempts > 0), created_by_user_id, scan_due_at) where status = 'scanning';
