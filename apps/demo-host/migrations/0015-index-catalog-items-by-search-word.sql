-- Users search catalogs. `catalog_items_by_word` stays for older releases. Older code runs against it.
-- transaction: none
-- compatible: older releases keep working

-- Answers: which items contain words with these beginnings, also in angle brackets?
create index concurrently catalog_items_by_search_word
  on trade.catalog_items using gin (trade.catalog_search_words(name, fields));
