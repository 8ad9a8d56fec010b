import postgres from 'postgres'

/** The URL of another database of the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${encodeURIComponent(name)}`
  return url.href
}

/** Creates a database, empty or as a copy of `template`, to which nobody may be connected meanwhile. */
export function createDatabase(
  adminUrl: string,
  name: string,
  options: { readonly template?: string } = {},
): Promise<void> {
  return withAdmin(adminUrl, async (admin) => {
    await admin`create database ${admin(name)} template ${admin(options.template ?? 'template1')}`
  })
}

/** Drops a database and the sessions in it; one that does not exist is no error. */
export function dropDatabase(adminUrl: string, name: string): Promise<void> {
  return withAdmin(adminUrl, async (admin) => {
    await admin`drop database if exists ${admin(name)} with (force)`
  })
}

/** Runs `work` on one connection of its own and ends it. Notices ("does not exist, skipping") are left unsaid. */
export async function withAdmin<T>(adminUrl: string, work: (admin: postgres.Sql) => Promise<T>): Promise<T> {
  // The driver's query for array types has no handler for its failure, and nothing here uses arrays.
  const admin = postgres(adminUrl, { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
