-- Users sort documents by total. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which document of this type has the next total?
create index concurrently documents_by_total on trade.documents (type_code, trade.document_total(payload), id);
