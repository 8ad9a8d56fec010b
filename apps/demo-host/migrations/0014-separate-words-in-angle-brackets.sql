-- PostgreSQL's parser takes `<M8>` for a tag without words, so a search for `M8` did not find `Bolt <M8>`. The new function
-- also separates words at angle brackets, and normalizes words as searches do. Older code calls catalog_words, which has its own index.
-- compatible: older releases keep working

-- The words of a catalog item. Marks such as `-`, `@` and `<` separate words.
create function trade.catalog_search_words(name text, fields jsonb) returns tsvector
language sql
immutable
parallel safe
return to_tsvector(
  'pg_catalog.simple'::regconfig,
  translate(
    normalize(name || ' ' || coalesce(fields ->> 'sku', '') || ' ' || coalesce(fields ->> 'email', '') || ' '
      || coalesce(fields ->> 'phone', '') || ' ' || coalesce(fields ->> 'city', '')),
    '-_./@+&<>',
    '         '
  )
);
