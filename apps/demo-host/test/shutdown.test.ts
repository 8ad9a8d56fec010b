import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bodyOf, expectAnswer } from './answers.ts'
import { accessToken, type Demo, dataFolder, type Request, startDemo } from './demo-process.ts'
import { type Target, targetQuery } from './uploads.ts'
import { openPage, type Page } from './work-center/page.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>

beforeAll(async () => {
  folder = await dataFolder()
})
afterAll(() => folder.remove())

const open = async (): Promise<Demo> => {
  const demo = await startDemo({ DEMO_DATA_DIR: folder.path })
  onTestFinished(async () => void (await demo.stop()))
  return demo
}

const writersCount = 8
const writesBeforeStop = 100

interface Written {
  readonly ids: readonly string[]
  readonly statuses: readonly number[]
}

/** Writes notes in sequence until the host no longer responds. Returns the ids of the notes that the host confirmed. */
async function writeUntilStopped(clerk: Request, target: Target, onWrite: () => void): Promise<Written> {
  const ids: string[] = []
  const statuses: number[] = []
  for (;;) {
    const answer = clerk('POST', '/api/notes', { body: { target, text: `note ${ids.length}` } })
    const response = await answer.catch(() => undefined)
    if (response === undefined) return { ids, statuses }
    statuses.push(response.status)
    const body = await bodyOf(response).catch(() => undefined)
    if (response.status === 201 && body !== undefined) ids.push(body.id)
    onWrite()
  }
}

async function allNotes(viewer: Request, target: Target): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = `/api/notes?${targetQuery(target)}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`
    const body = await expectAnswer(viewer('GET', page), 200)
    for (const { id } of body.items) ids.add(id)
    cursor = body.nextCursor
  }
  return ids
}

test('a demo under load exits with code 0 after SIGTERM, and all confirmed notes exist after a restart', async () => {
  const demo = await open()
  const clerk = await demo.as('clerk')
  const { id } = await expectAnswer(
    clerk('POST', '/api/catalogs/trade.customer', { body: { name: 'Busy' } }),
    201,
  )
  const target: Target = { kind: 'CatalogItem', typeCode: 'trade.customer', id }

  const underLoad = Promise.withResolvers<void>()
  let count = 0
  const onWrite = () => {
    count += 1
    if (count === writesBeforeStop) underLoad.resolve()
  }
  const writers = Array.from({ length: writersCount }, () => writeUntilStopped(clerk, target, onWrite))
  await underLoad.promise
  const startedMs = performance.now()
  expect(await demo.stop()).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(10_000)

  const written = await Promise.all(writers)
  const acknowledged = written.flatMap(({ ids }) => ids)
  expect(acknowledged.length).toBeGreaterThanOrEqual(writesBeforeStop)
  // Every request with a response was successful.
  expect(new Set(written.flatMap(({ statuses }) => statuses))).toEqual(new Set([201]))

  const again = await open()
  const kept = await allNotes(await again.as('viewer'), target)
  expect(acknowledged.filter((note) => !kept.has(note))).toEqual([])
})

test('during shutdown, a request in progress completes and new connections are refused', async () => {
  const demo = await open()
  const clerk = await demo.as('clerk')
  const body = { name: 'In flight' }
  const sql = postgres(demo.databaseUrl, { max: 1 })
  onTestFinished(() => sql.end())
  const { answer } = await sql.begin(async (tx) => {
    // The request waits for this lock. The wait must be shorter than the statement's limit of 5 s.
    await tx`lock table trade.catalog_items in share mode`
    const answer = clerk('POST', '/api/catalogs/trade.customer', { body })
    await someoneWaitsFor(tx)
    demo.process.kill('SIGTERM')
    await refusesConnections(demo.url)
    // Return an object: if the callback returned the promise, the transaction and the request would wait for each other.
    return { answer }
  })
  expect(await expectAnswer(answer, 201)).toMatchObject(body)
  expect(await demo.ended).toBe(0)
})

/** Resolves as soon as another session waits for a lock of this transaction. */
async function someoneWaitsFor(tx: postgres.TransactionSql): Promise<void> {
  for (let isWaiting = false; !isWaiting; ) {
    const [row] = await tx`
      select exists (
        select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))
      ) as "isWaiting"`
    isWaiting = row?.['isWaiting'] === true
  }
}

async function refusesConnections(url: string): Promise<void> {
  const answers = () =>
    fetch(`${url}/health/live`, { headers: { Connection: 'close' } }).then(
      () => true,
      () => false,
    )
  while (await answers());
}

const pageOf = async (demo: Demo, user: string): Promise<Page> => {
  const token = await accessToken(demo.issuer, user)
  return openPage({ url: demo.url, request: await demo.as(user), token: async () => token })
}

test('during shutdown, the hub asks open pages to reconnect, and the demo exits with code 0 within ten seconds', async () => {
  const demo = await open()
  const users = ['clerk', 'clerk', 'clerk2', 'viewer', 'auditor', 'outsider']
  const pages = await Promise.all(users.map((user) => pageOf(demo, user)))
  const startedMs = performance.now()
  expect(await demo.stop()).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  for (const page of pages) {
    await page.until(() => page.events.length > 0 || undefined)
    // If the hub had not allowed the page to reconnect, the event would be `closed`.
    expect(page.events).toEqual(['reconnecting'])
    await page.close()
  }
})

test('during shutdown, the hub asks clients to reconnect and does not wait for clients without a handshake', async () => {
  const demo = await open()
  const token = await accessToken(demo.issuer, 'clerk')
  const address = `${demo.url.replace('http', 'ws')}/hubs/work-center?access_token=${token}`
  const [greeted, silent] = [new WebSocket(address), new WebSocket(address)]
  const records: string[] = []
  const { promise: isGreeted, resolve: greet } = Promise.withResolvers<void>()
  greeted.addEventListener('message', ({ data }) => {
    records.push(...String(data).split('\u001e').slice(0, -1))
    greet()
  })
  greeted.addEventListener('open', () => greeted.send('{"protocol":"json","version":1}\u001e'))
  const closed = new Promise<CloseEvent>((resolve) => greeted.addEventListener('close', resolve))
  await Promise.all([isGreeted, new Promise((resolve) => silent.addEventListener('open', resolve))])
  const startedMs = performance.now()
  expect(await demo.stop()).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  expect((await closed).code).toBe(1001)
  expect(JSON.parse(records.at(-1) ?? '')).toEqual({ type: 7, allowReconnect: true })
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  'an idle demo exits with code 0 within ten seconds after %s',
  async (signal) => {
    const folder = await dataFolder()
    onTestFinished(folder.remove)
    const demo = await startDemo({ DEMO_DATA_DIR: folder.path })
    const startedMs = performance.now()
    expect(await demo.stop(signal)).toBe(0)
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    await expect(fetch(demo.url)).rejects.toThrow()
  },
)

test('after SIGTERM, a demo reports that it is not ready, serves requests during the shutdown delay and exits with code 0', async () => {
  const folder = await dataFolder()
  onTestFinished(folder.remove)
  const demo = await startDemo({ DEMO_DATA_DIR: folder.path, SHUTDOWN_DELAY: '00:00:03' })
  const clerk = await demo.as('clerk')
  demo.process.kill('SIGTERM')
  await expect.poll(async () => (await fetch(`${demo.url}/health/ready`)).status).toBe(503)
  await expectAnswer(clerk('GET', '/api/security/me/access'), 200)
  expect(await demo.ended).toBe(0)
})

// As the first process of a container, it would ignore a signal without a handler.
test('doctor handles SIGTERM while it waits for a token', async () => {
  const script = fileURLToPath(new URL('../src/doctor.ts', import.meta.url))
  const argv = ['--conditions=@vertical-kit/source', script, '--token-file', '-']
  const doctor = spawn(process.execPath, argv, { stdio: ['pipe', 'ignore', 'inherit'] })
  onTestFinished(() => void doctor.kill('SIGKILL'))
  // The buffers between the processes are smaller, so the command reads when this ends.
  await new Promise((resolve) => doctor.stdin.write('x'.repeat(4_000_000), resolve))
  doctor.kill('SIGTERM')
  expect(await once(doctor, 'exit')).toEqual([143, null])
})
