-- The index `catalog_items_by_their_words` answers the same question. Older code still runs: it reads all items of a catalog.
-- transaction: none
-- compatible: older releases keep working

drop index concurrently if exists trade.catalog_items_by_search_word;
