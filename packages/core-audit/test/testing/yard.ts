import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
  varchar,
} from 'drizzle-orm/pg-core'
import { eq, isNull, sql } from 'drizzle-orm/sql'

export const yard = pgSchema('yard')

export const bins = yard.table('bins', { id: uuid().primaryKey() })

export const parts = yard.table(
  'parts',
  {
    binId: uuid('bin_id').notNull(),
    code: varchar({ length: 10 }).notNull(),
    tags: text().array(),
    count: integer().notNull().default(0),
    madeAt: timestamp('made_at', { withTimezone: true, precision: 3 }).$default(() => new Date(0)),
    origin: jsonb().notNull().default({ country: 'NO' }),
    serial: bigint({ mode: 'bigint' }).generatedAlwaysAsIdentity(),
    label: text().generatedAlwaysAs(sql`code || ''`),
  },
  (table) => [
    primaryKey({ columns: [table.binId, table.code] }),
    unique('parts_code_key').on(table.code),
    foreignKey({ columns: [table.binId], foreignColumns: [bins.id] }).onDelete('cascade'),
    index('parts_by_made_at')
      .on(table.madeAt.desc().nullsFirst(), table.code.op('varchar_pattern_ops'))
      .where(sql`${table.count} > ${0}`),
    uniqueIndex('parts_lower_code').on(sql`lower(code)`),
    check('parts_count_check', sql`${table.count} between 0 and 10`),
  ],
)

export const fullBins = yard
  .view('full_bins', { binId: uuid('bin_id').notNull(), count: integer() })
  .existing()

export const emptyBins = yard
  .view('empty_bins')
  .as((select) =>
    select
      .select({ id: bins.id })
      .from(bins)
      .leftJoin(parts, eq(parts.binId, bins.id))
      .where(isNull(parts.code)),
  )

/** The migration that matches the declarations above. */
export const migrated = `
  create schema yard;
  create table yard.bins (id uuid primary key);
  create table yard.parts (
    bin_id uuid not null references yard.bins (id) on delete cascade,
    code character varying(10) not null,
    tags text[],
    count int not null default 0,
    made_at timestamptz(3),
    origin jsonb not null default '{"country":"NO"}',
    serial bigint not null generated always as identity,
    label text generated always as (code || '') stored,
    primary key (bin_id, code),
    constraint parts_code_key unique (code),
    constraint parts_count_check check (count >= 0 and count <= 10)
  );
  create index parts_by_made_at on yard.parts (made_at desc, code varchar_pattern_ops) include (tags) where count > 0;
  create unique index parts_lower_code on yard.parts (lower(code));
  create view yard.full_bins as select bin_id, sum(count)::int as count from yard.parts group by bin_id;
  create view yard.empty_bins as
    select id from yard.bins where not exists (select from yard.parts where bin_id = bins.id);
`
