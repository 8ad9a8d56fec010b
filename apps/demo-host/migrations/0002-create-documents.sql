-- Orders, invoices, payments and journal entries. Additive; older code does not know the table.

create table trade.documents (
  id uuid constraint documents_pkey primary key,
  type_code text not null,
  number text not null,
  display text not null,
  status text not null default 'Draft',
  version integer not null default 1,
  payload jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint documents_number_key unique (type_code, number),
  constraint documents_type_code_check check (type_code <> ''),
  constraint documents_number_check check (number <> ''),
  constraint documents_status_check check (status in ('Draft', 'Posted', 'MarkedForDeletion')),
  constraint documents_version_check check (version >= 1),
  constraint documents_payload_check check (coalesce(jsonb_typeof(payload -> 'fields') = 'object', false))
);

-- Answers: which documents of this type are there, newest first?
create index documents_by_type on trade.documents (type_code, id desc);

-- Answers: does any document name this customer, item or invoice?
create index documents_by_reference on trade.documents using gin (payload jsonb_path_ops);

-- One series a type. A number drawn by a transaction that fails is lost: numbers are unique, not without gaps.
create sequence trade.sales_order_numbers;
create sequence trade.sales_invoice_numbers;
create sequence trade.customer_payment_numbers;
create sequence trade.general_journal_entry_numbers;
