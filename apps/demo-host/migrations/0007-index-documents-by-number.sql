-- Users search documents by the beginning of their number. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which documents of this type have a number with this beginning?
create index concurrently documents_by_number on trade.documents (type_code, number text_pattern_ops);
