-- Users sort documents by due date. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which document of this type is due next?
create index concurrently documents_by_due_date on trade.documents (type_code, (payload #>> '{fields,dueDate}'), id);
