-- What lists search and sort by. Additive; older code does not call the functions.
-- compatible: older releases keep working

-- The words of a catalog item. Marks such as `-` and `@` separate words, so a search for `M8` finds `BOLT-M8`.
create function trade.catalog_words(name text, fields jsonb) returns tsvector
language sql
immutable
parallel safe
return to_tsvector(
  'pg_catalog.simple'::regconfig,
  translate(
    name || ' ' || coalesce(fields ->> 'sku', '') || ' ' || coalesce(fields ->> 'email', '') || ' '
      || coalesce(fields ->> 'phone', '') || ' ' || coalesce(fields ->> 'city', ''),
    '-_./@+&',
    '       '
  )
);

-- The total of a document: of its lines, of its debits, or its amount. Each line is rounded before the addition.
create function trade.document_total(payload jsonb) returns numeric
language sql
immutable
parallel safe
return coalesce(
  (
    select sum(round((line ->> 'quantity')::numeric * (line ->> 'unitPrice')::numeric, 2))
    from jsonb_path_query(payload, '$.fields.lines[*]') line
  ),
  (
    select sum((entry ->> 'debit')::numeric)
    from jsonb_path_query(payload, '$.fields.entries[*]') entry
  ),
  (payload #>> '{fields,amount}')::numeric,
  0
);
