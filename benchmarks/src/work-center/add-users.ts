import type postgres from 'postgres'

/** Adds the users `<prefix>-1`, `<prefix>-2` … with one role. Returns their subjects, for which tokens can be issued. */
export async function addUsers(
  sql: postgres.Sql,
  { prefix, count, roleCode }: { readonly prefix: string; readonly count: number; readonly roleCode: string },
): Promise<readonly string[]> {
  const rows = await sql<{ subject: string }[]>`
    insert into core_audit.users (id, subject, email, display_name)
    select uuidv7(), subject, subject || '@example.com', subject
    from generate_series(1, ${count}::int) g
    cross join lateral (select ${prefix}::text || '-' || g as subject) named
    returning subject`
  const subjects = rows.map(({ subject }) => subject)
  await sql`
    insert into core_audit.user_roles (user_id, role_id)
    select u.id, r.id
    from core_audit.users u
    join core_audit.roles r on r.code = ${roleCode}
    where u.subject = any(${subjects}::text[])`
  await sql`analyze core_audit.users, core_audit.user_roles`
  return subjects
}
