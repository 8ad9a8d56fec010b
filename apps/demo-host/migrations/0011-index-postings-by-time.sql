-- The start page shows what was received in the last months. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: what was posted for documents of this type since a time?
create index concurrently postings_by_time on trade.postings (document_type, posted_at) include (total);
