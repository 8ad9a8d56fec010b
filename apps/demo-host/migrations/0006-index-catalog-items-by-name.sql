-- Users sort catalogs by name. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which item of this type is next by name?
create index concurrently catalog_items_by_name on trade.catalog_items (type_code, name, id);
