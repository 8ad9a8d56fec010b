-- A repeated creation makes no second item. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

create unique index concurrently catalog_items_creation_key on trade.catalog_items (creation_key) where creation_key is not null;
