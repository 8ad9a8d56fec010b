import { newId } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { TestHost, TestRequest } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'

/** A test user, with a function that sends their requests. */
export interface Person {
  readonly userId: string
  readonly subject: string
  readonly request: TestRequest
}

/** The permission of clerks to view invoices. */
export const viewInvoices = 'document.trade.sales_invoice.view'
export const viewOrders = 'document.trade.sales_order.view'
export const viewTickets = 'document.crm.ticket.view'

/** Creates a role with these permissions, or replaces the permissions of an existing role. Returns the id of the role. */
export async function addRole(
  database: Database,
  code: string,
  permissions: readonly string[],
): Promise<string> {
  const [row] = await database.statement((tx) =>
    tx.execute<{ id: string }>(sql`
      insert into core_audit.roles (id, code, name, permissions)
      values (${newId()}::uuid, ${code}, ${code}, ${sql.param(permissions)}::text[])
      on conflict (code) do update set permissions = excluded.permissions
      returning id`),
  )
  if (row === undefined) throw new Error('The upsert of a role returned no row')
  return row.id
}

/**
 * Adds the roles of all tests. Clerks and managers can view all objects in `trade`, and tickets. Auditors can view only
 * invoices.
 */
export async function addTradeRoles(database: Database): Promise<void> {
  const everything = [viewInvoices, viewOrders, viewTickets]
  await addRole(database, 'trade.clerk', everything)
  await addRole(database, 'trade.manager', everything)
  await addRole(database, 'trade.auditor', [viewInvoices])
  await addRole(database, 'trade.administrator', [])
}

let count = 0

/** Creates a user with these roles. */
export async function addPerson(host: TestHost, roleCodes: readonly string[]): Promise<Person> {
  count += 1
  const subject = `person-${count}`
  const userId = await addUser(host.database, subject, roleCodes)
  return { userId, subject, request: await host.as({ subject }) }
}

/** Creates the user record of a user with these roles, and returns the claims for their token. */
export async function addUser(
  database: Database,
  subject: string,
  roleCodes: readonly string[],
): Promise<string> {
  const userId = newId()
  await database.statement((tx) =>
    tx.execute(sql`
      with account as (
        insert into core_audit.users (id, subject, email, display_name)
        values (${userId}::uuid, ${subject}, ${`${subject}@example.com`}, ${subject})
        returning id
      )
      insert into core_audit.user_roles (user_id, role_id)
      select account.id, r.id
      from account, core_audit.roles r
      where r.code = any(${sql.param(roleCodes)}::text[])`),
  )
  return userId
}

/** Creates 120 users with a role, more than a list to choose from contains. Their names are `Member 000` to `Member 119`. */
export async function addCrowd(database: Database, roleCode: string): Promise<void> {
  for (let n = 0; n < 120; n += 1) {
    await addUser(database, `Member ${String(n).padStart(3, '0')}`, [roleCode])
  }
}

export const takeRole = (database: Database, { userId }: Pick<Person, 'userId'>, code: string) =>
  database.statement((tx) =>
    tx.execute(sql`
      delete from core_audit.user_roles ur
      using core_audit.roles r
      where r.id = ur.role_id and ur.user_id = ${userId}::uuid and r.code = ${code}`),
  )

export const giveRole = (database: Database, { userId }: Person, code: string) =>
  database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.user_roles (user_id, role_id)
      select ${userId}::uuid, id from core_audit.roles where code = ${code}`),
  )

export const setRoleActivity = (database: Database, code: string, isActive: boolean) =>
  database.statement((tx) =>
    tx.execute(sql`update core_audit.roles set is_active = ${isActive} where code = ${code}`),
  )

export const deactivate = (database: Database, { userId }: Person) =>
  database.statement((tx) =>
    tx.execute(sql`update core_audit.users set is_active = false where id = ${userId}::uuid`),
  )
