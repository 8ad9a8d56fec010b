-- Users filter documents by status. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which documents of this type have this status, newest first, and how many?
create index concurrently documents_by_status on trade.documents (type_code, status, id desc);
