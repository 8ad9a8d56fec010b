-- Users search catalogs. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which items contain words with these beginnings?
create index concurrently catalog_items_by_word on trade.catalog_items using gin (trade.catalog_words(name, fields));
