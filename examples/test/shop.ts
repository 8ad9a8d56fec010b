import { randomUUID, scryptSync } from 'node:crypto'
import { freshDatabase } from '@vertical-kit/dev-services'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'

const password = 'correct horse'

/** Creates the database of an existing application with three users: a clerk, a reader and a guest. */
export async function openShopDatabase() {
  const fresh = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => fresh.drop())
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`
    create table users (
      id uuid primary key, email text not null unique, name text not null, role text not null,
      password_salt text not null, password_hash text not null
    );
    create table sessions (
      token_hash text primary key, user_id uuid not null references users, expires_at timestamptz not null
    );
    create table orders (id uuid primary key, number text not null unique)`)
  for (const [role, name] of [
    ['clerk', 'Clara Clerk'],
    ['reader', 'Rita Reader'],
    ['guest', 'Gus Guest'],
  ]) {
    const hash = scryptSync(password, 'salt', 32).toString('hex')
    await client.query('insert into users values ($1, $2, $3, $4, $5, $6)', [
      ...[randomUUID(), `${role}@example.org`, name, role, 'salt', hash],
    ])
  }
  const count = async (table: 'orders' | 'notes.notes' | 'core_audit.audit_events'): Promise<number> =>
    (await client.query(`select count(*)::int as count from ${table}`)).rows[0].count
  return { url: fresh.url, client, count }
}

/** A client of the shop. If a user is signed in, the client sends the session cookie like a browser. */
export interface Browser {
  /** The headers that the client sends with every request. */
  readonly headers: Readonly<Record<string, string>>
  get(path: string): Promise<Response>
  post(path: string, body?: object): Promise<Response>
}

export const anonymous = (url: string, headers: Readonly<Record<string, string>> = {}): Browser => ({
  headers,
  get: (path) => fetch(`${url}${path}`, { headers }),
  post: (path, body = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
})

export async function signIn(url: string, role: 'clerk' | 'reader' | 'guest'): Promise<Browser> {
  const response = await anonymous(url).post('/session', { email: `${role}@example.org`, password })
  const [cookie = ''] = response.headers.getSetCookie()
  return anonymous(url, { Cookie: cookie.slice(0, cookie.indexOf(';')) })
}
