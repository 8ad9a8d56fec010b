import { fileURLToPath } from 'node:url'
import { migrationTemplate, startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import {
  type FreshDatabase,
  freshDatabase,
  type ObjectStore,
  startObjectStore,
} from '@vertical-kit/dev-services'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { hostMigrations } from '../src/migrations.ts'
import { expectAnswer } from './answers.ts'
import { type Demo, dataFolder, externalStore, type Request, requester, startDemo } from './demo-process.ts'
import { attach, download, type Target, targetQuery } from './uploads.ts'

const tenMinutesMs = 600_000
const minuteMs = 60_000

let folder: Awaited<ReturnType<typeof dataFolder>>
let database: FreshDatabase
let store: ObjectStore
let issuer: TestIssuer
let ahead: Demo
let behind: Demo

/** Starts a replica in its own process, with a clock that differs from the clock of the shared services. */
const startReplica = (clock: { readonly shiftMs: number; readonly stepMs?: number }): Promise<Demo> =>
  startDemo({
    DEMO_DATA_DIR: folder.path,
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    ...externalStore(store.url),
    NODE_OPTIONS: `--import=${fileURLToPath(new URL('shifted-clock.ts', import.meta.url))}`,
    CLOCK_SHIFT_MS: String(clock.shiftMs),
    CLOCK_STEP_MS: String(clock.stepMs ?? 0),
  })

/** Returns a client with a token for the user `clerk`, which expires at a time of the correct clock. */
const clerkOf = async ({ url }: Demo, expiresAtMs = Date.now() + 5 * minuteMs): Promise<Request> =>
  requester(url, await issuer.token({ subject: 'clerk', expiresAtMs }))

const newCustomer = async (request: Request, name: string): Promise<Target> => {
  const { id } = await expectAnswer(request('POST', '/api/catalogs/trade.customer', { body: { name } }), 201)
  return { kind: 'CatalogItem', typeCode: 'trade.customer', id }
}
const file = (name: string) => ({ fileName: name, contentType: 'text/plain', bytes: Buffer.from(name) })
const health = async ({ url }: Demo) => (await fetch(`${url}/health`)).json() as Promise<object>
const listed = async (request: Request, path: string) => (await expectAnswer(request('GET', path), 200)).items

async function uploadAndDownload(request: Request): Promise<string> {
  const ready = await attach(request, await newCustomer(request, 'Skewed'), file('skewed.txt'))
  return (await download(request, `/api/attachments/${ready.id}/download`)).text()
}

beforeAll(async () => {
  const template = await migrationTemplate('demo_host', hostMigrations)
  database = await freshDatabase(inject('postgresUrl'), { template })
  issuer = await startTestIssuer()
  folder = await dataFolder()
  store = await startObjectStore({
    directory: `${folder.path}/store`,
    buckets: ['vertical-kit-attachments'],
    credentials: [{ accessKeyId: 'demo', secretAccessKey: 'demo-secret-key' }],
  })
  ahead = await startReplica({ shiftMs: tenMinutesMs })
  behind = await startReplica({ shiftMs: -tenMinutesMs })
})

afterAll(async () => {
  await Promise.all([ahead?.stop(), behind?.stop()])
  await store?.close()
  await issuer?.close()
  await folder?.remove()
  await database?.drop()
})

describe.each([
  ['ahead', 600, () => ahead],
  ['behind', -600, () => behind],
] as const)('a host whose clock is ten minutes %s', (_direction, aheadSeconds, replica) => {
  test('signs uploads and downloads that the store accepts', async () => {
    expect(await uploadAndDownload(await clerkOf(replica()))).toBe('skewed.txt')
  })

  test('accepts tokens that are valid and refuses tokens that have expired', async () => {
    const statusOf = async (expiresAtMs: number) =>
      (await (await clerkOf(replica(), expiresAtMs))('GET', '/api/security/me/access')).status
    expect(await statusOf(Date.now() + 5 * minuteMs)).toBe(200)
    expect(await statusOf(Date.now() - minuteMs)).toBe(401)
  })

  test('is Degraded and states the difference', async () => {
    const word = aheadSeconds > 0 ? 'ahead of' : 'behind'
    expect(await health(replica())).toMatchObject({
      status: 'Degraded',
      entries: {
        clock: {
          status: 'Degraded',
          detail: expect.stringMatching(
            new RegExp(`^The host's clock is (599|600|601) s ${word} the database's`),
          ),
        },
        objectStoreClock: { status: 'Healthy' },
      },
    })
  })

  test('logs the difference once', () => {
    const warnings = replica()
      .stdout()
      .split('\n')
      .filter((line) => line.includes('"level":"warn"') && line.includes("The host's clock differs"))
    expect(warnings).toHaveLength(1)
  })
})

test('lists show the rows that two hosts with different clocks wrote in turn in the order of the writes', async () => {
  const clerks = [await clerkOf(ahead), await clerkOf(behind)]
  const written: { customers: string[]; notes: string[]; files: string[] } = {
    customers: [],
    notes: [],
    files: [],
  }
  const target = await newCustomer(clerks[0] as Request, 'Alternating')
  for (let turn = 0; turn < 6; turn += 1) {
    const clerk = clerks[turn % 2] as Request
    written.customers.unshift((await newCustomer(clerk, `Customer ${turn}`)).id)
    const note = await expectAnswer(clerk('POST', '/api/notes', { body: { target, text: `${turn}` } }), 201)
    written.notes.unshift(note.id)
    written.files.unshift(String((await attach(clerk, target, file(`${turn}.txt`))).id))
  }
  const idsIn = async (path: string) => (await listed(clerks[1] as Request, path)).map(({ id }) => id)
  expect((await idsIn('/api/catalogs/trade.customer?limit=6')).slice(0, 6)).toEqual(written.customers)
  expect(await idsIn(`/api/notes?${targetQuery(target)}`)).toEqual(written.notes)
  expect(await idsIn(`/api/attachments?${targetQuery(target)}`)).toEqual(written.files)
})

test('a host whose clock steps while it runs continues to work, and becomes Degraded', async () => {
  const replica = await startReplica({ shiftMs: 0, stepMs: tenMinutesMs })
  try {
    const clerk = await clerkOf(replica)
    expect(await health(replica)).toMatchObject({ entries: { clock: { status: 'Healthy' } } })
    const before = await newCustomer(clerk, 'Before the step')
    replica.process.kill('SIGUSR2')
    await expect
      .poll(() => health(replica))
      .toMatchObject({ status: 'Degraded', entries: { clock: { status: 'Degraded' } } })
    const after = await newCustomer(clerk, 'After the step')
    const last = await newCustomer(await clerkOf(behind), 'From another host')
    const rows = await listed(clerk, '/api/catalogs/trade.customer?limit=3')
    expect(rows.map(({ id }) => id)).toEqual([last.id, after.id, before.id])
    expect(await uploadAndDownload(clerk)).toBe('skewed.txt')
  } finally {
    await replica.stop()
  }
})
