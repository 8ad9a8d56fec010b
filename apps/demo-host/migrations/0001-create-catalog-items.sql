-- Customers and items of the trade vertical. First migration: no older code runs against it.

create schema trade;

create table trade.catalog_items (
  id uuid constraint catalog_items_pkey primary key,
  type_code text not null,
  name text not null,
  fields jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint catalog_items_type_code_check check (type_code <> ''),
  constraint catalog_items_name_check check (char_length(name) between 1 and 200),
  constraint catalog_items_fields_check check (jsonb_typeof(fields) = 'object')
);

-- Answers: which items of this type are there, newest first?
create index catalog_items_by_type on trade.catalog_items (type_code, id desc);
