-- A database with the locale C lowers only ASCII letters, so a search for `ärzte` did not find `Ärzte`, and PostgreSQL's parser
-- takes `O’Neil` and `«Nord»` for one word each. The new function lowers the letters of any language, and separates words at
-- typographic marks, as searches do. Older code calls catalog_search_words.
-- compatible: older releases keep working

-- The words of a catalog item, in lower case. Marks such as `-`, `@`, `<` and `’` separate words. Both forms of the
-- Greek letter sigma become one, because the last letter that a user has typed is often not the last one of the word.
create function trade.catalog_item_words(name text, fields jsonb) returns tsvector
language sql
immutable
parallel safe
return to_tsvector(
  'pg_catalog.simple'::regconfig,
  translate(
    lower(
      normalize(name || ' ' || coalesce(fields ->> 'sku', '') || ' ' || coalesce(fields ->> 'email', '') || ' '
        || coalesce(fields ->> 'phone', '') || ' ' || coalesce(fields ->> 'city', '')) collate "und-x-icu"
    ),
    'ς-_./@+&<>’‘‚“”„«»‹›–—‐‑…·•',
    'σ                          '
  )
);
