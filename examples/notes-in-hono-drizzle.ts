/**
 * This example adds notes and attachments to an existing application. The application uses Hono, Drizzle over
 * node-postgres, cookie sessions and its own tables. docs/guides/existing-application.md explains each step.
 */
import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { serve } from '@hono/node-server'
import {
  attachmentsFeature,
  attachmentsMigrations,
  createAttachments,
  readAttachmentsConfig,
} from '@vertical-kit/attachments'
import { attachments as filesTable } from '@vertical-kit/attachments/schema'
import { auditTimeline, isKitError, objectActivity } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import {
  coreMigrations,
  createDatabase,
  migrate,
  readDatabaseConfig,
  surviveDriverRejections,
} from '@vertical-kit/core-audit/database'
import { kitTx } from '@vertical-kit/core-audit/drizzle'
import {
  auditPartitionsWorker,
  checkModules,
  clockWorker,
  contentSummary,
  createLogger,
  healthRoutes,
  readConfiguration,
  startWorkers,
} from '@vertical-kit/core-audit/host'
import { authenticateWith, problems, requestId } from '@vertical-kit/core-audit/http'
import { callerAccess, ensureUser } from '@vertical-kit/core-audit/identity'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { users as kitUsers } from '@vertical-kit/core-audit/schema'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import { addNote, createNotes, notesFeature, notesMigrations, readNotesConfig } from '@vertical-kit/notes'
import { notes as notesTable } from '@vertical-kit/notes/schema'
import { and, countDistinct, eq, gt, isNull, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { csrf } from 'hono/csrf'
import { HTTPException } from 'hono/http-exception'
import pg from 'pg'

// ---------------------------------------------------------------------------------------------------------------------
// The existing application

const users = pgTable('users', {
  id: uuid().primaryKey(),
  email: text().notNull().unique(),
  name: text().notNull(),
  role: text({ enum: ['clerk', 'reader', 'guest'] }).notNull(),
  passwordSalt: text('password_salt').notNull(),
  passwordHash: text('password_hash').notNull(),
})

const sessions = pgTable('sessions', {
  tokenHash: text('token_hash').primaryKey(),
  userId: uuid('user_id')
    .notNull()
    .references(() => users.id),
  expiresAt: timestamp('expires_at', { withTimezone: true }).notNull(),
})

const orders = pgTable('orders', {
  id: uuid().primaryKey(),
  number: text().notNull().unique(),
})

type User = Pick<typeof users.$inferSelect, 'id' | 'email' | 'name' | 'role'>

const databaseUrl = process.env['DATABASE_URL'] ?? ''
const pool = new pg.Pool({
  connectionString: databaseUrl,
  statement_timeout: 15_000,
  lock_timeout: 5_000,
  idle_in_transaction_session_timeout: 15_000,
})
pool.on('error', (error) => console.error(error))
const db = drizzle(pool)

const hash = (token: string) => createHash('sha256').update(token).digest('hex')

/** Returns the user that the session cookie identifies, or `null` if the cookie is missing or the session is invalid. */
async function userOf(c: Context): Promise<User | null> {
  const token = getCookie(c, 'session')
  if (token === undefined) return null
  const [user] = await db
    .select({ id: users.id, email: users.email, name: users.name, role: users.role })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.tokenHash, hash(token)), gt(sessions.expiresAt, sql`now()`)))
  return user ?? null
}

type ShopEnv = { Variables: { user: User; requestId: string } }
const app = new Hono<ShopEnv>()

// Browsers also send the session cookie with cross-site requests.
app.use(csrf())

const signedIn: MiddlewareHandler<ShopEnv> = async (c, next) => {
  const user = await userOf(c)
  if (user === null) return c.json({ error: 'Sign in first.' }, 401)
  c.set('user', user)
  return next()
}

app.post('/session', async (c) => {
  const { email, password } = await c.req.json<{ email: string; password: string }>()
  const [user] = await db.select().from(users).where(eq(users.email, email))
  const given = scryptSync(password, user?.passwordSalt ?? '', 32)
  if (user === undefined || !timingSafeEqual(given, Buffer.from(user.passwordHash, 'hex'))) {
    return c.json({ error: 'Wrong e-mail or password.' }, 401)
  }
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(Date.now() + 12 * 3_600_000)
  await db.insert(sessions).values({ tokenHash: hash(token), userId: user.id, expiresAt })
  setCookie(c, 'session', token, { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
  return c.json({ name: user.name }, 201)
})

// ---------------------------------------------------------------------------------------------------------------------
// Step 1: configure, migrate, connect

const definitions = [notesFeature, attachmentsFeature]
const config = readConfiguration(process.env, (env) => ({
  database: readDatabaseConfig(env),
  notes: readNotesConfig(env),
  attachments: readAttachmentsConfig(env, { isEnabled: true }),
}))
const { directUrl, password } = config.database
await migrate({
  ...{ databaseUrl: directUrl, password },
  packs: [coreMigrations, notesMigrations, attachmentsMigrations],
})
const database = createDatabase(config.database)
const logger = createLogger({ level: 'info' })
surviveDriverRejections(logger)

// Step 2: name your objects

const businessObjects = createBusinessObjects([
  {
    kind: 'Document',
    typeCodes: ['shop.order'],
    async isReadable(kit, caller, { id }) {
      if (!holds(caller, 'document.shop.order.view')) return false
      return (await kit.execute(sql`select from public.orders where id = ${id}::uuid`)).length > 0
    },
  },
])

// Step 3: make your user the caller

const read = ['document.shop.order.view', 'system.notes.read', 'system.attachments.read']
const write = [
  ...['create', 'update', 'delete'].map((action) => `system.notes.${action}`),
  ...['create', 'delete'].map((action) => `system.attachments.${action}`),
]
const permissionsOf = {
  clerk: [...read, ...write, 'document.shop.order.view_audit'],
  reader: read,
  guest: [],
}

/** Creates or updates the user's record, which lists and timelines show. Returns the id of the record. */
async function mirror({ id, email, name }: User): Promise<string> {
  const [record] = await db.select().from(kitUsers).where(eq(kitUsers.subject, id))
  if (record?.displayName === name && record.email === email) return record.id
  return database.statement((tx) => ensureUser(tx, { subject: id, displayName: name, email }))
}

const authenticate = authenticateWith(async (c) => {
  const user = await userOf(c)
  if (user === null) return null
  return { userId: await mirror(user), displayName: user.name, permissions: permissionsOf[user.role] }
})

// Step 4: mount the routes

const values = new Map(definitions.map(({ code }) => [code, true]))
const features = createFeatureFlags({ definitions, values })
const notes = createNotes({ database, businessObjects, features, config: config.notes })
const attachments = createAttachments({ database, businessObjects, features, config: config.attachments })
const views = { database, businessObjects, modules: [notes, attachments] }
const lists = [contentSummary(views), auditTimeline(views), objectActivity(views)]
const modules = [features, notes, attachments, ...lists, callerAccess()]
checkModules(modules)

app.use(requestId())
app.route('/', healthRoutes({ database, modules }))
app.use('/api/*', authenticate)
for (const { router } of modules) if (router !== undefined) app.route('/', router)

const refuse = problems(logger)
app.onError((error, c) => {
  if (isKitError(error) || error instanceof HTTPException) return refuse(error, c)
  console.error(error)
  return c.json({ error: 'Something went wrong.' }, 500)
})

// Step 5: write an order, its first note and a file in one transaction

app.post('/orders', signedIn, async (c) => {
  const user = c.get('user')
  if (user.role !== 'clerk') return c.json({ error: 'Only clerks take orders.' }, 403)
  const { number, note } = await c.req.json<{ number: string; note: string }>()
  const actor = { userId: await mirror(user), displayName: user.name, correlationId: c.get('requestId') }
  const order = { id: database.newId(), number }
  const target = { kind: 'Document', typeCode: 'shop.order', id: order.id } as const
  const body = new TextEncoder().encode(`Order ${number}\n`)
  const stored = await attachments.store({ fileName: 'order.txt', contentType: 'text/plain', body })
  await db.transaction(async (tx) => {
    await tx.insert(orders).values(order)
    await addNote(kitTx(tx), config.notes, { id: database.newId(), target, text: note, actor })
    await attachments.attach(kitTx(tx), stored, { as: 'system', actor, target })
  })
  return c.json(order, 201)
})

// Step 6: join your table with notes and files

app.get('/orders', signedIn, async (c) => {
  const permissions: readonly string[] = permissionsOf[c.get('user').role]
  // The answer also counts notes and files, so the caller must have all three rights to read.
  if (!read.every((permission) => permissions.includes(permission))) {
    return c.json({ error: 'Guests see no orders.' }, 403)
  }
  const rows = await db
    .select({
      number: orders.number,
      noteCount: countDistinct(notesTable.id),
      fileCount: countDistinct(filesTable.id),
    })
    .from(orders)
    .leftJoin(notesTable, and(eq(notesTable.targetId, orders.id), isNull(notesTable.deletedAt)))
    .leftJoin(filesTable, and(eq(filesTable.targetId, orders.id), eq(filesTable.status, 'ready')))
    .groupBy(orders.id)
    .orderBy(orders.number)
  return c.json(rows)
})

// ---------------------------------------------------------------------------------------------------------------------
// Step 7: start and stop

const workers = startWorkers(
  [clockWorker(database), auditPartitionsWorker(database), ...(attachments.workers ?? [])],
  logger,
)
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  console.log(`ready http://127.0.0.1:${port}`)
})
process.once('SIGTERM', () => {
  server.close(async () => {
    await workers.stop()
    await database.close()
    await pool.end()
  })
})
