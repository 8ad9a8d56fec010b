import { randomUUID, scryptSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase, startObjectStore } from '@vertical-kit/dev-services'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { startExample } from '../../vitest.readme-example.ts'

const password = 'correct horse'

/** Creates the database of an existing application with three users: a clerk, a reader and a guest. */
async function openShopDatabase() {
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

async function openStore() {
  const directory = await mkdtemp(join(tmpdir(), 'shop-files-'))
  const credentials = { accessKeyId: 'shop', secretAccessKey: 'shop-secret-key' }
  const store = await startObjectStore({
    ...{ directory, buckets: ['vertical-kit-attachments'] },
    credentials: [credentials],
  })
  onTestFinished(async () => {
    await store.close()
    await rm(directory, { recursive: true })
  })
  return {
    Attachments__Storage__InternalEndpoint: store.url,
    Attachments__Storage__PublicEndpoint: store.url,
    Attachments__Storage__AllowInsecureHttp: 'true',
    Attachments__Storage__AccessKey: credentials.accessKeyId,
    Attachments__Storage__SecretKey: credentials.secretAccessKey,
  }
}

/** Starts the example `notes-in-hono-drizzle.ts` with its database and its store, and signs the clerk in. */
export async function openShop() {
  const database = await openShopDatabase()
  const example = await startExample(new URL('../notes-in-hono-drizzle.ts', import.meta.url), {
    DATABASE_URL: database.url,
    ...(await openStore()),
  })
  return { ...example, database, clerk: await signIn(example.url, 'clerk') }
}
