-- The books: what posting, unposting and settling documents writes. Additive; older code does not know the tables.

create table trade.postings (
  -- In the order they were written.
  id bigint generated always as identity constraint postings_pkey primary key,
  -- The document it belongs to. The books outlive documents, which are deleted for good as drafts: no foreign key.
  document_type text not null,
  document_id uuid not null,
  document_number text not null,
  -- What was done to the document, and in which execution of it.
  action_code text not null,
  execution_id uuid not null,
  -- The posting it takes back, if it does.
  reverses_id bigint
    constraint postings_reverses_id_fkey references trade.postings (id)
    constraint postings_reverses_id_key unique,
  -- The sum of its debits, and of its credits; 0 for one that only moves quantities.
  total numeric(15, 2) not null,
  posted_at timestamptz not null default clock_timestamp(),
  constraint postings_names_check check (document_type <> '' and document_number <> '' and action_code <> ''),
  constraint postings_total_check check (total >= 0),
  constraint postings_reverses_id_check check (reverses_id < id)
);

-- Answers: what did this document do to the books?
create index postings_by_document on trade.postings (document_id);

create table trade.posting_entries (
  posting_id bigint not null constraint posting_entries_posting_id_fkey references trade.postings (id),
  line integer not null,
  account text not null,
  debit numeric(15, 2) not null,
  credit numeric(15, 2) not null,
  -- The document whose open amount it changes: the invoice on receivables, the payment on what customers paid ahead.
  open_item_id uuid,
  constraint posting_entries_pkey primary key (posting_id, line),
  constraint posting_entries_account_check check (account <> ''),
  constraint posting_entries_amounts_check check (debit >= 0 and credit >= 0 and (debit = 0) <> (credit = 0))
);

-- Answers: what is still open on this invoice, on this payment?
create index posting_entries_by_open_item on trade.posting_entries (open_item_id) include (debit, credit)
  where open_item_id is not null;

create table trade.register_movements (
  posting_id bigint not null constraint register_movements_posting_id_fkey references trade.postings (id),
  register text not null,
  item_id uuid not null,
  -- Of the item's unit; negative where it takes back.
  quantity numeric(15, 3) not null,
  constraint register_movements_pkey primary key (posting_id, register, item_id),
  constraint register_movements_register_check check (register <> ''),
  constraint register_movements_quantity_check check (quantity <> 0)
);

-- Debits and credits of a posting both come to its total. Every entry is above zero, so nothing can be added later.
create function trade.check_balance(posting bigint) returns void
language plpgsql
set search_path = pg_catalog
as $$
begin
  if exists (
    select
    from trade.postings p
    cross join lateral (
      select coalesce(sum(e.debit), 0) as debit, coalesce(sum(e.credit), 0) as credit
      from trade.posting_entries e
      where e.posting_id = p.id
    ) sums
    where p.id = posting and (sums.debit <> p.total or sums.credit <> p.total)
  ) then
    raise exception 'posting % does not balance', posting
      using errcode = 'check_violation', schema = 'trade', table = 'postings', constraint = 'postings_balance_check';
  end if;
end
$$;

create function trade.check_posting() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  perform trade.check_balance(new.id);
  return null;
end
$$;

create function trade.check_posting_entries() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  perform trade.check_balance(touched.posting_id)
  from (select distinct posting_id from inserted) touched;
  return null;
end
$$;

-- At commit, for a posting that was given no entries; at once, for entries of whichever posting.
create constraint trigger postings_balance
after insert on trade.postings
deferrable initially deferred
for each row execute function trade.check_posting();

create trigger posting_entries_balance
after insert on trade.posting_entries
referencing new table as inserted
for each statement execute function trade.check_posting_entries();

-- Append-only: what was posted is taken back by a reversal. `always` fires whatever session_replication_role says.
create function trade.refuse_ledger_change() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end
$$;

create trigger postings_append_only
before update or delete on trade.postings
for each row execute function trade.refuse_ledger_change();

create trigger postings_no_truncate
before truncate on trade.postings
for each statement execute function trade.refuse_ledger_change();

create trigger posting_entries_append_only
before update or delete on trade.posting_entries
for each row execute function trade.refuse_ledger_change();

create trigger posting_entries_no_truncate
before truncate on trade.posting_entries
for each statement execute function trade.refuse_ledger_change();

create trigger register_movements_append_only
before update or delete on trade.register_movements
for each row execute function trade.refuse_ledger_change();

create trigger register_movements_no_truncate
before truncate on trade.register_movements
for each statement execute function trade.refuse_ledger_change();

alter table trade.postings enable always trigger postings_balance;
alter table trade.postings enable always trigger postings_append_only;
alter table trade.postings enable always trigger postings_no_truncate;
alter table trade.posting_entries enable always trigger posting_entries_balance;
alter table trade.posting_entries enable always trigger posting_entries_append_only;
alter table trade.posting_entries enable always trigger posting_entries_no_truncate;
alter table trade.register_movements enable always trigger register_movements_append_only;
alter table trade.register_movements enable always trigger register_movements_no_truncate;
