import type { Database } from '../database/database.ts'
import { type SQL, sql } from '../database/sql.ts'
import { migrationsOf } from '../host/host-migrations.ts'
import type { KitModule } from '../module.ts'
import { type DoctorCheck, failed, ok, skipped, warning } from './check.ts'

const rights = ['select', 'insert', 'update', 'delete'] as const
type Right = (typeof rights)[number] | 'truncate'

interface TableRights extends Record<Right | 'isOwner', boolean> {
  readonly table: string
}

/** The rights that a host does not need, besides truncate. A role that has them is a warning: triggers still refuse changes. */
const unneeded: Readonly<Record<string, readonly Right[]>> = {
  'core_audit.migrations': ['insert', 'update', 'delete'],
  'core_audit.audit_events': ['update', 'delete'],
  'core_audit.audit_seals': ['update', 'delete'],
  'core_audit.outbox_events': ['update'],
  'core_audit.outbox_attempts': ['update'],
}

/**
 * Returns the check of the rights of the host's role. It requires the rights in the schemas that are named like the packs of
 * the modules: `work_center` for `@vertical-kit/work-center`. It warns if the role cannot use a table or a sequence in the
 * other schemas of the migrator, because a host writes there only at some requests.
 */
export const roleCheck = (database: Database, modules: readonly KitModule[]): DoctorCheck => ({
  name: 'database.role',
  isQuick: true,
  async run() {
    const tables = await readRights(database, schemasOf(modules))
    if (tables.length === 0) return skipped('Needs database.migrations: there are no tables yet.')
    // Often set during maintenance. The server of such a session is nevertheless a primary.
    if (await isReadOnly(database)) {
      return failed(
        'Every transaction is read-only, because default_transaction_read_only is on.',
        'Reset it for the role of DATABASE_URL, its database and the server.',
      )
    }
    const missing = tables.flatMap(missingRights)
    if (missing.length > 0) {
      const more = missing.length > 4 ? `, and ${missing.length - 4} more` : ''
      return failed(
        `The role of DATABASE_URL lacks rights: ${missing.slice(0, 4).join(', ')}${more}.`,
        'Run the grants of the database guide for the role of DATABASE_URL, also for new tables.',
      )
    }
    if (tables.some(({ table, isOwner }) => isOwner && table === 'core_audit.audit_events')) {
      return warning(
        'The role of DATABASE_URL owns the tables or is a superuser.',
        'Use a role with only the grants of the database guide in DATABASE_URL, and another one for the migrator.',
      )
    }
    const extra = tables.flatMap(extraRights)
    if (extra.length > 0) {
      return warning(
        `The role of DATABASE_URL could change append-only tables: ${extra.join('; ')}.`,
        'Revoke these rights from the role.',
      )
    }
    const unusable = await readUnusable(database)
    if (unusable.length > 0) {
      return warning(
        `The role of DATABASE_URL cannot use these tables or sequences: ${unusable.join(', ')}.`,
        'Repeat the grants of the database guide for the schemas of the application, unless no host uses them.',
      )
    }
    return ok(`The role can use the ${tables.length} tables of the kit, and does not own them.`)
  },
})

/** Returns the check that the role can migrate, which the migrator needs and a host does not. */
export const migratorCheck = (database: Database, modules: readonly KitModule[]): DoctorCheck => ({
  name: 'database.migrator',
  async run() {
    const [row] = await database.read((db) =>
      db.execute<{ canCreate: boolean }>(
        sql`select has_database_privilege(current_database(), 'create') as "canCreate"`,
      ),
    )
    const foreign = (await readRights(database, schemasOf(modules))).filter(({ isOwner }) => !isOwner)
    if (row?.canCreate !== true) {
      return failed(
        'The role cannot create schemas.',
        'Grant CREATE on the database to the migrator, whose address is in DATABASE_DIRECT_URL or DATABASE_URL.',
      )
    }
    if (foreign.length > 0) {
      return failed(
        `The role does not own ${foreign.length} tables, such as ${foreign[0]?.table}.`,
        'Use the role that has created the tables in DATABASE_DIRECT_URL or DATABASE_URL.',
      )
    }
    return ok('The role can create and change tables.')
  },
})

async function isReadOnly(database: Database): Promise<boolean> {
  const [row] = await database.read((db) =>
    db.execute<{ isReadOnly: boolean }>(
      sql`select current_setting('default_transaction_read_only')::boolean as "isReadOnly"`,
    ),
  )
  return row?.isReadOnly === true
}

const schemasOf = (modules: readonly KitModule[]): readonly string[] =>
  migrationsOf(modules).map(({ name }) => (name.split('/').at(-1) ?? name).replaceAll('-', '_'))

function missingRights({ table, ...held }: TableRights): readonly string[] {
  return rights
    .filter((right) => !held[right] && !(unneeded[table] ?? []).includes(right))
    .map((right) => `${right} on ${table}`)
}

function extraRights({ table, ...held }: TableRights): readonly string[] {
  const extra = [...(unneeded[table] ?? []), 'truncate' as const].filter((right) => held[right])
  return Object.hasOwn(unneeded, table) && extra.length > 0 ? [`${extra.join(', ')} on ${table}`] : []
}

function readRights(database: Database, schemas: readonly string[]): Promise<readonly TableRights[]> {
  const can = (right: string): SQL =>
    sql`has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, ${right}::text)`
  // A view is only read.
  const canOrView = (right: string): SQL => sql`c.relkind = 'v' or (${can(right)})`
  return database.read((db) =>
    db.execute<TableRights & Record<string, unknown>>(sql`
      select n.nspname || '.' || c.relname as table,
        pg_has_role(c.relowner, 'usage') as "isOwner",
        ${can('select')} as select, ${canOrView('insert')} as insert, ${canOrView('update')} as update,
        ${canOrView('delete')} as delete, ${can('truncate')} as truncate
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any (${sql.param(schemas)}::text[]) and c.relkind in ('r', 'p', 'v')
        -- Only the owner needs rights on a partition.
        and not c.relispartition
      order by 1`),
  )
}

/** Returns up to five tables and sequences of the migrator that the role cannot use at all. */
async function readUnusable(database: Database): Promise<readonly string[]> {
  const rows = await database.read((db) =>
    db.execute<{ name: string }>(sql`
      select n.nspname || '.' || c.relname as name
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relowner = (select relowner from pg_class where oid = 'core_audit.migrations'::regclass)
        -- Objects below this id belong to PostgreSQL, which has the same owner if a superuser migrates.
        and c.oid >= 16384
        and not c.relispartition
        and not (has_schema_privilege(n.oid, 'usage') and case c.relkind
          when 'S' then has_sequence_privilege(c.oid, 'usage')
          else has_table_privilege(c.oid, 'select') end)
        and (c.relkind in ('r', 'p', 'v') or c.relkind = 'S' and not exists (
          -- The sequence of an identity column needs no right.
          select from pg_depend d
          where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'i'))
      order by 1 limit 5`),
  )
  return rows.map(({ name }) => name)
}
