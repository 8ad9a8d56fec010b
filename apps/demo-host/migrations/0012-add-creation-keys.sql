-- A creation that a client repeats finds its document. Older code does not know the column.
-- compatible: older releases keep working

alter table trade.documents add column creation_key uuid;
