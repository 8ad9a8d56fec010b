-- A repeated creation makes no second document. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

create unique index concurrently documents_creation_key on trade.documents (creation_key) where creation_key is not null;
