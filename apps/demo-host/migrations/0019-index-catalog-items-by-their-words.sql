-- Users search catalogs. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which items contain words with these beginnings, in any language?
create index concurrently catalog_items_by_their_words
  on trade.catalog_items using gin (trade.catalog_item_words(name, fields));
