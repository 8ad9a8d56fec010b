import postgres from 'postgres'

/** Returns the URL of another database of the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl)
  url.pathname = `/${encodeURIComponent(name)}`
  return url.href
}

/** Creates an empty database or a copy of `template`. The copy fails while the template has connections. */
export function createDatabase(
  adminUrl: string,
  name: string,
  options: { readonly template?: string } = {},
): Promise<void> {
  return withAdmin(adminUrl, async (admin) => {
    await admin`create database ${admin(name)} template ${admin(options.template ?? 'template1')}`
  })
}

/** Drops a database and ends its sessions. Does nothing if the database does not exist. */
export function dropDatabase(adminUrl: string, name: string): Promise<void> {
  return withAdmin(adminUrl, async (admin) => {
    await admin`drop database if exists ${admin(name)} with (force)`
  })
}

/** Runs `work` on a new connection and closes it. Ignores notices such as "does not exist, skipping". */
export async function withAdmin<T>(adminUrl: string, work: (admin: postgres.Sql) => Promise<T>): Promise<T> {
  // Skip the driver's query for array types: its errors are unhandled, and no query here uses arrays.
  const admin = postgres(adminUrl, { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
