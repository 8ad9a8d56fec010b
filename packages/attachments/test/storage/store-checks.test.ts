import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Finding } from '@vertical-kit/core-audit/doctor'
import { type ObjectStore, type ObjectStoreOptions, startObjectStore } from '@vertical-kit/dev-services'
import { expect, onTestFinished, test } from 'vitest'
import { bucket, credentials } from '../harness.ts'
import { checksAt } from './checks-at.ts'

const origin = 'https://app.example.com'

/** Starts a store that allows uploads from the origin, for one test. */
async function openStore(options: Partial<ObjectStoreOptions> = {}): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'store-checks-'))
  const defaults = { directory, buckets: [bucket], credentials: [credentials], corsOrigins: [origin] }
  const store = await startObjectStore({ ...defaults, ...options })
  onTestFinished(async () => {
    await store.close()
    await rm(directory, { recursive: true })
  })
  return store
}

/** Runs the checks with the configuration of a deployment that uses the store. */
async function examine(
  url: string,
  { environment = {}, origins = [origin] as readonly string[] } = {},
): Promise<Readonly<Record<string, Finding>>> {
  const checks = checksAt(url, environment)
  const context = { origins, token: undefined, replicaCount: 1, now: Date.now }
  const signal = AbortSignal.timeout(10_000)
  const findings = await Promise.all(
    checks.map(async (check) => [check.name, await check.run({ ...context, signal })] as const),
  )
  expect(JSON.stringify(findings)).not.toContain(credentials.secretAccessKey)
  expect(JSON.stringify(findings)).not.toContain('X-Amz-Signature')
  return Object.fromEntries(findings)
}

/** Returns the names and the status of the checks that found something. */
const problemsIn = (findings: Readonly<Record<string, Finding>>) =>
  Object.fromEntries(
    Object.entries(findings).flatMap(([name, { status }]) => (status === 'ok' ? [] : [[name, status]])),
  )

test('a store that is set up like the operation guide passes every check, also the second time', async () => {
  const store = await openStore()
  for (const _run of [1, 2]) expect(problemsIn(await examine(store.url))).toEqual({})
})

test('every run of the checks uses the same objects', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'store-checks-'))
  const { url } = await openStore({ directory })
  await examine(url)
  const first = await readdir(directory, { recursive: true })
  await examine(url)
  expect((await readdir(directory, { recursive: true })).length).toBe(first.length)
})

test('a bucket without a CORS rule for the page fails and names the bucket', async () => {
  const store = await openStore({ corsOrigins: ['https://other.example.com'] })
  const findings = await examine(store.url)
  expect(problemsIn(findings)).toEqual({ 'store.cors': 'failed' })
  expect(findings['store.cors']).toMatchObject({
    message: `The bucket does not allow uploads from ${origin}.`,
    change: expect.stringContaining('Attachments__Storage__Bucket'),
  })
})

test('without an origin, CORS is a warning that names the option', async () => {
  const findings = await examine((await openStore()).url, { origins: [] })
  expect(findings['store.cors']).toMatchObject({
    status: 'warning',
    change: expect.stringContaining('--origin'),
  })
})

const skippedUploads = {
  'store.content_type': 'skipped',
  'store.unsigned_headers': 'skipped',
  'store.head': 'skipped',
  'store.copy': 'skipped',
  'store.download': 'skipped',
  'store.parts': 'skipped',
  'store.rights': 'skipped',
}

test.each([
  ['AccessKey', 'unknown', 'Attachments__Storage__AccessKey'],
  ['SecretKey', 'wrong', 'Attachments__Storage__SecretKey'],
  ['Bucket', 'another-bucket', 'Attachments__Storage__Bucket'],
  ['Region', 'eu-west-1', 'Attachments__Storage__Region'],
])('a wrong %s fails and names the key', async (name, value, key) => {
  const store = await openStore()
  const findings = await examine(store.url, { environment: { [`Attachments__Storage__${name}`]: value } })
  expect(problemsIn(findings)).toEqual({
    'store.access': 'failed',
    'store.newest_file': 'skipped',
    'store.upload': 'skipped',
    ...skippedUploads,
  })
  expect(findings['store.access']?.change).toContain(key)
})

test('a store that ignores the conditions of copies is a warning that names them', async () => {
  const store = await openStore()
  store.faults.ignoreCopyConditions()
  const findings = await examine(store.url)
  expect(problemsIn(findings)).toEqual({ 'store.copy': 'warning' })
  expect(findings['store.copy']?.message).toContain('on the ETag of the source and on an existing object')
})

test('a public endpoint that leads to another store fails', async () => {
  const [internal, other] = [await openStore(), await openStore()]
  const environment = { Attachments__Storage__PublicEndpoint: other.url }
  const findings = await examine(internal.url, { environment })
  expect(findings['store.head']).toMatchObject({
    status: 'failed',
    change: expect.stringMatching(/PublicEndpoint.*InternalEndpoint/),
  })
})

test('an unreachable store fails once, and a store that fails calls is reported with its status', async () => {
  const store = await openStore()
  store.faults.unreachable()
  const unreachable = await examine(store.url)
  expect(unreachable['store.access']).toMatchObject({
    status: 'failed',
    change: expect.stringContaining('Attachments__Storage__InternalEndpoint'),
  })
  expect(unreachable['clock.store']).toMatchObject({ status: 'skipped' })
  store.faults.clear()
  store.faults.fail({ operations: ['CopyObject'], status: 503 })
  expect((await examine(store.url))['store.copy']).toMatchObject({
    status: 'failed',
    message: 'The store answers with HTTP 503.',
  })
})

test('a store that refuses to list parts fails and names the right', async () => {
  const store = await openStore()
  store.faults.fail({ operations: ['ListParts'], status: 503 })
  const findings = await examine(store.url)
  expect(problemsIn(findings)).toEqual({ 'store.parts': 'failed', 'store.rights': 'skipped' })
  expect(findings['store.parts']).toMatchObject({
    message: 'An upload in parts fails (ListParts failed: ServiceUnavailable (HTTP 503)).',
    change: expect.stringContaining('s3:ListMultipartUploadParts'),
  })
})

interface ProxiedRequest {
  readonly method: string | undefined
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A proxy answers a request itself, changes it, or passes it to the store as it is. */
type Proxied =
  | { readonly status: number }
  | { readonly headers?: IncomingHttpHeaders; readonly body?: Buffer }
  | undefined

/** Starts a proxy before the store for one test, and returns its address. */
async function openProxy(
  store: Pick<ObjectStore, 'url'>,
  change: (request: ProxiedRequest) => Proxied | Promise<Proxied>,
): Promise<string> {
  const { hostname, port } = new URL(store.url)
  const proxy = createServer(async (incoming, response) => {
    const { method, url: path = '', headers } = incoming
    const body = Buffer.concat(await incoming.toArray())
    const changed = await change({ method, path, headers, body })
    if (changed !== undefined && 'status' in changed) {
      response.writeHead(changed.status).end()
      return
    }
    const passed = request(
      { hostname, port, method, path, headers: changed?.headers ?? headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
        answer.pipe(response)
      },
    )
    passed.end(changed?.body ?? body)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

/** Starts a proxy before the store that answers each deletion with the status of its key, and returns its address. */
const answerDeletions = (store: ObjectStore, statusOf: (key: string) => number): Promise<string> =>
  openProxy(store, ({ method, path }) => {
    if (method !== 'DELETE') return undefined
    const [key = ''] = path.slice(`/${bucket}/`.length).split('?')
    return { status: statusOf(key) }
  })

const withoutCopySource = ({
  'x-amz-copy-source': _source,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders => headers

const isSigned = (path: string): boolean => path.includes('X-Amz-Signature=')

async function contentOf({ url: endpoint }: ObjectStore, key: string): Promise<Buffer> {
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
  const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
  const content = Buffer.from((await Body?.transformToByteArray()) ?? [])
  client.destroy()
  return content
}

/**
 * Like MinIO with the policy of the README: it verifies only signed headers, and a part with `x-amz-copy-source` is a copy of
 * this object, whatever its body is. The policy refuses copies below `uploads/`.
 */
const executeCopies = (store: ObjectStore): Promise<string> =>
  openProxy(store, async ({ path, headers }) => {
    const source = headers['x-amz-copy-source']
    if (typeof source !== 'string' || !isSigned(path)) return undefined
    if (path.startsWith(`/${bucket}/uploads/`)) return { status: 403 }
    return {
      headers: withoutCopySource(headers),
      body: await contentOf(store, source.slice(`/${bucket}/`.length)),
    }
  })

test('a store that executes a copy into a part fails, although the policy refuses copies into uploads', async () => {
  const url = await executeCopies(await openStore())
  const findings = await examine(url)
  expect(problemsIn(findings)).toEqual({ 'store.unsigned_headers': 'failed' })
  expect(findings['store.unsigned_headers']).toMatchObject({
    message: expect.stringContaining('signed URL of a part'),
    change: expect.stringContaining('Attachments__Storage__PublicEndpoint'),
  })
})

test('a store that executes copies passes behind a proxy that removes their header', async () => {
  const store = await openStore()
  const url = await openProxy({ url: await executeCopies(store) }, ({ path, headers }) =>
    isSigned(path) ? { headers: withoutCopySource(headers) } : undefined,
  )
  expect(problemsIn(await examine(url))).toEqual({})
})

test.each([
  ['both prefixes', 204, 204, 'uploads/doctor and attachments/doctor'],
  ['uploads/ only', 204, 403, 'uploads/doctor'],
  ['attachments/ only', 403, 204, 'attachments/doctor'],
  ['attachments/, while uploads/ fails,', 503, 204, 'attachments/doctor'],
])('keys that can delete below %s are a warning', async (_where, uploads, attachments, deleted) => {
  const url = await answerDeletions(await openStore(), (key) =>
    key.startsWith('uploads/') ? uploads : attachments,
  )
  const findings = await examine(url)
  expect(problemsIn(findings)).toEqual({ 'store.rights': 'warning' })
  expect(findings['store.rights']?.message).toContain(`This check has deleted ${deleted}.`)
})

test.each([
  [503, 503, 503],
  [403, 429, 429],
  [500, 403, 500],
])('a deletion that fails with %i or %i is a failure of the store', async (uploads, attachments, status) => {
  const url = await answerDeletions(await openStore(), (key) =>
    key.startsWith('uploads/') ? uploads : attachments,
  )
  const findings = await examine(url)
  expect(problemsIn(findings)).toEqual({ 'store.rights': 'failed' })
  expect(findings['store.rights']?.message).toBe(`The store answers with HTTP ${status}.`)
})

test('a store with another clock fails, and the change is the clock', async () => {
  const store = await openStore({ clock: () => new Date(Date.now() - 3_600_000) })
  const findings = await examine(store.url)
  expect(findings['store.access']).toMatchObject({
    status: 'failed',
    change: expect.stringContaining('Synchronize the clocks'),
  })
})
