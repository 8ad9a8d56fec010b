-- A client can repeat the creation of a catalog item, like that of a document. The fingerprint is a hash of the content: a
-- repetition with other content is refused. Older code does not know the columns: a request that an older release has answered
-- and that is repeated after the upgrade creates a second object.
-- compatible: older releases keep working

alter table trade.catalog_items add column creation_key uuid, add column creation_fingerprint text;
alter table trade.documents add column creation_fingerprint text;
