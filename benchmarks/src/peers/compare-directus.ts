import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { compareThroughput, type Plan } from '../compare.ts'
import * as endpoints from '../endpoints.ts'
import { type Finding, toFigure } from '../finding.ts'
import { type Bench, openBench } from '../hosts.ts'
import { type CaseRequest, type Drive, inTurn, type Target } from '../measure.ts'
import { runScript, type ServerProcess, startListening } from '../server-process.ts'
import { peerScript } from './peer-process.ts'

const commentsPerInvoice = 50
const commentCount = 100_000
const nameOf = (name: string): string => `${name}, compared with Directus`
const memory = 'memory of Directus after the comparison'

interface Directus {
  readonly target: Target
  readonly server: ServerProcess
  readonly invoices: readonly string[]
}

/**
 * Compares notes and attachments with the comments of Directus: 100,000 rows, 50 for each invoice, on one PostgreSQL server.
 * Directus gets an index for its comments, which it does not create, and the token of an administrator, for which it checks no
 * permission: both make it faster. The host checks the rights of a clerk.
 */
export async function compareDirectus(plan: Plan): Promise<readonly Finding[]> {
  const cases = [
    { endpoint: endpoints.listNotes, least: 9, peer: listComments },
    { endpoint: endpoints.listAttachments, least: 9, peer: listComments },
    { endpoint: endpoints.contentSummary, least: 11, peer: countComments },
    { endpoint: endpoints.createNote, least: 13, peer: createComment },
  ].filter(({ endpoint }) => plan.isChosen(nameOf(endpoint.name)))
  if (cases.length === 0) return []
  const bench = await openBench({ isOnDisk: false })
  const folder = await mkdtemp(join(tmpdir(), 'vertical-kit-directus-'))
  try {
    const size = {
      documents: commentCount / commentsPerInvoice,
      notesPerDocument: 50,
      attachmentsPerDocument: 50,
    }
    const setup = await bench.setUp('bench_beside_directus', size)
    const directus = await openDirectus(bench, folder)
    try {
      const findings: Finding[] = []
      for (const { endpoint, least, peer } of cases) {
        const sides = [
          { label: 'host', drive: await endpoint.open(setup), target: setup.host },
          { label: 'Directus', drive: peer(directus), target: directus.target },
        ] as const
        findings.push(await compareThroughput(nameOf(endpoint.name), sides, { least, plan }))
      }
      const megabytes = directus.server.residentBytes() / 1024 / 1024
      return [...findings, toFigure(memory, [megabytes], { unit: 'MB' })]
    } finally {
      await directus.server.stop()
    }
  } finally {
    await bench.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function openDirectus({ postgres: server }: Bench, folder: string): Promise<Directus> {
  const database = 'bench_directus'
  await server.createDatabase(database)
  const token = randomUUID()
  const env = {
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: server.url(database),
    DB_POOL__MAX: '10',
    SECRET: randomUUID(),
    ADMIN_EMAIL: 'clerk@example.com',
    ADMIN_PASSWORD: randomUUID(),
    ADMIN_TOKEN: token,
    LOG_LEVEL: 'error',
    TELEMETRY: 'false',
    NODE_ENV: 'production',
  }
  const script = peerScript('directus')
  await runScript(script, env, { args: ['bootstrap'], cwd: folder })
  const process = await startListening(script, env, { args: ['start'], cwd: folder, path: '/server/ping' })
  const target = { url: process.url, headers: { authorization: `Bearer ${token}` } }
  await createInvoices(target)
  return { target, server: process, invoices: await fillComments(server.url(database)) }
}

async function createInvoices({ url, headers }: Target): Promise<void> {
  const field = { field: 'id', type: 'uuid', schema: { is_primary_key: true } }
  const response = await fetch(`${url}/collections`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ collection: 'invoices', schema: {}, meta: {}, fields: [field] }),
  })
  if (!response.ok) throw new Error(`Directus: ${response.status} ${await response.text()}`)
}

async function fillComments(databaseUrl: string): Promise<readonly string[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    const invoices = await sql<{ id: string }[]>`
      insert into invoices (id)
      select gen_random_uuid() from generate_series(1, ${commentCount / commentsPerInvoice}::int)
      returning id`
    await sql`
      insert into directus_comments (id, collection, item, comment, date_created, user_created)
      select gen_random_uuid(), 'invoices', i.id,
        'Spoke to the customer, who asked for delivery before noon. ' || g, clock_timestamp(), u.id
      from generate_series(1, ${commentsPerInvoice}::int) g
      cross join invoices i
      cross join (select id from directus_users limit 1) u`
    await sql`create index on directus_comments (collection, item, date_created desc)`
    await sql`vacuum analyze directus_comments, invoices`
    return invoices.map(({ id }) => id)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** Lists the comments of an invoice with the name of their author, newest first, like the list of notes. */
function listComments({ invoices }: Directus): Drive {
  const fields = 'id,comment,date_created,date_updated,user_created.id,user_created.first_name'
  return reading(invoices, `sort=-date_created&limit=50&fields=${fields}`)
}

const countComments = ({ invoices }: Directus): Drive => reading(invoices, 'aggregate[count]=*')

const reading = (invoices: readonly string[], query: string): Drive =>
  inTurn(
    invoices.slice(0, 1_000).map((id) => ({
      method: 'GET',
      path: `/comments?filter[collection][_eq]=invoices&filter[item][_eq]=${id}&${query}`,
    })),
  )

const createComment = ({ invoices }: Directus): Drive =>
  inTurn(
    invoices.slice(0, 1_000).map(
      (item): CaseRequest => ({
        method: 'POST',
        path: '/comments',
        body: { collection: 'invoices', item, comment: 'Spoke to the customer; delivery before noon.' },
      }),
    ),
  )
