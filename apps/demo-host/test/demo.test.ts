import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Preference } from '@vertical-kit/work-center/contract'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { act } from './actions.ts'
import { expectAnswer } from './answers.ts'
import {
  accessToken,
  type Demo,
  type OpenDemo,
  openDemo,
  runDemo,
  sharedParts,
  startDemo,
} from './demo-process.ts'
import { runDoctor } from './run-doctor.ts'
import { postedInvoice, postedPayment } from './trade/actions/documents.ts'
import { attach, download, type Target, targetQuery } from './uploads.ts'
import { about, openPage } from './work-center/page.ts'

const names = ['admin', 'manager', 'clerk', 'clerk2', 'viewer', 'auditor', 'uploader', 'outsider', 'inactive']

let demo: OpenDemo

beforeAll(async () => {
  demo = await openDemo()
})
afterAll(() => demo?.close())

const anInvoice = async (of: Demo): Promise<Target> => {
  const viewer = await of.as('viewer')
  const { items } = await expectAnswer(viewer('GET', '/api/documents/trade.sales_invoice?limit=1'), 200)
  return { kind: 'Document', typeCode: 'trade.sales_invoice', id: items[0]?.id ?? '' }
}

test('a demo prints one ready line as its last line, with the addresses of all services', async () => {
  const lines = demo.stdout().trimEnd().split('\n')
  expect(lines.filter((line) => line.startsWith('ready '))).toHaveLength(1)
  const ready = JSON.parse(lines.at(-1)?.slice('ready '.length) ?? '') as object
  expect(Object.keys(ready)).toEqual(['url', 'issuer', 'objectStore', 'databaseUrl'])
  expect(demo.stdout()).toContain(`${demo.url}/docs`)
  expect(demo.stderr()).toBe('')
})

test('active users can sign in and see their own roles, and the inactive user is refused', async () => {
  const access = await Promise.all(
    names
      .filter((name) => name !== 'inactive')
      .map(async (name) => {
        const { subject, isAdministrator, roles, userId } = await expectAnswer(
          (await demo.as(name))('GET', '/api/security/me/access'),
          200,
        )
        const codes = (roles as readonly { code: string }[]).map(({ code }) => code)
        return [subject, isAdministrator, codes, userId === null ? 'no record' : 'record']
      }),
  )
  expect(access).toEqual([
    ['admin', true, [], 'record'],
    ['manager', true, ['trade.administrator'], 'record'],
    ['clerk', false, ['trade.clerk'], 'record'],
    ['clerk2', false, ['trade.clerk'], 'record'],
    ['viewer', false, ['trade.viewer'], 'record'],
    ['auditor', false, ['trade.auditor'], 'record'],
    ['uploader', false, ['trade.uploader'], 'record'],
    ['outsider', false, [], 'record'],
  ])
  await expectAnswer((await demo.as('inactive'))('GET', '/api/security/me/access'), 403, 'auth.inactive')
})

test('the page /about lists the users and the links of the demo', async () => {
  const response = await fetch(`${demo.url}/about`)
  const page = await response.text()
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  for (const name of names) expect(page).toContain(`<code>${name}</code>`)
  expect(page).not.toContain('<script')
  for (const path of ['/docs', '/openapi.json', '/health']) {
    expect(page).toContain(`href="${path}"`)
    expect((await fetch(`${demo.url}${path}`)).status).toBe(200)
  }
})

test('the health report contains the database, the identity provider and the outbox', async () => {
  const report = (await (await fetch(`${demo.url}/health`)).json()) as {
    status: string
    entries: Record<string, { status: string }>
  }
  expect(report.status).toBe('Healthy')
  expect(report.entries).toMatchObject({
    database: { status: 'Healthy' },
    identityProvider: { status: 'Healthy' },
    workCenterOutbox: { status: 'Healthy', failedCount: 0 },
  })
})

test('pnpm run doctor checks the running demo, and a token, without any failure', async () => {
  const { status, stdout } = await runDoctor(['--json', '--token-file', '-'], {
    environment: { DEMO_DATA_DIR: demo.dataPath },
    input: await accessToken(demo.issuer, 'admin'),
  })
  const { findings } = JSON.parse(stdout) as { findings: readonly { name: string; status: string }[] }
  // The embedded database has only its superuser.
  expect(findings.filter((finding) => finding.status !== 'ok').map(({ name }) => name)).toEqual([
    'database.role',
  ])
  expect(findings.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['store.copy', 'store.cors', 'identity.token', 'database.listen', 'clock.store']),
  )
  expect(status).toBe(0)
  expect(stdout).not.toContain(new URL(demo.databaseUrl).password)
})

test.each([
  ['outbox', 'list', 'work-center: '],
  ['mail', 'list', 'There are no dead letters.'],
  ['migrate', 'status', '0001-create-identity'],
])('pnpm %s %s finds the database of the running demo', async (name, command, expected) => {
  const script = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--conditions=@vertical-kit/source', script, command],
    { env: { PATH: process.env['PATH'], DEMO_DATA_DIR: demo.dataPath } },
  )
  expect(stdout).toContain(expected)
})

test('pnpm run doctor checks a host with external services and without mail', async () => {
  const { status, stdout, stderr } = await runDoctor(['--json'], {
    environment: {
      ...sharedParts(demo),
      FeatureManagement__Attachments: 'true',
      DEMO_DATA_DIR: '/missing',
    },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { findings } = JSON.parse(stdout) as { findings: readonly { name: string }[] }
  expect(findings.map(({ name }) => name)).toEqual(expect.arrayContaining(['store.copy', 'database.listen']))
})

test('without a running demo and without addresses, pnpm run doctor exits with 78 and names the keys', async () => {
  const { status, stdout, stderr } = await runDoctor([], { environment: { DEMO_DATA_DIR: '/missing' } })
  expect({ status, stdout }).toEqual({ status: 78, stdout: '' })
  expect(stderr).toContain('DATABASE_URL')
})

test('a demo enables attachments and notes by default', async () => {
  const features = await (await demo.as('outsider'))('GET', '/api/features')
  expect(await features.json()).toMatchObject([
    { code: 'Attachments', enabled: true },
    { code: 'Notes', enabled: true },
  ])
})

test('a second replica uses the services of the first replica and adds no sample data', async () => {
  const replica = await startDemo({ ...sharedParts(demo), DEMO_DATA_DIR: `${demo.dataPath}/replica` })
  onTestFinished(async () => void (await replica.stop()))
  expect(replica).toMatchObject({ issuer: demo.issuer, objectStore: demo.objectStore })
  expect(await readdir(`${demo.dataPath}/replica`)).toEqual([])
  const target = await anInvoice(demo)
  const file = { fileName: 'both.txt', contentType: 'text/plain', bytes: Buffer.from('seen by both') }
  const { id } = await attach(await replica.as('clerk'), target, file)
  const fetched = await download(await demo.as('viewer'), `/api/attachments/${id}/download`)
  expect(await fetched.text()).toBe('seen by both')
  const customers = await (await replica.as('viewer'))('GET', '/api/catalogs/trade.customer?limit=100')
  expect(((await customers.json()) as { items: unknown[] }).items).toHaveLength(20)
})

test('a change at one replica appears on open pages of the other replica', async () => {
  const replica = await startDemo({ ...sharedParts(demo), DEMO_DATA_DIR: `${demo.dataPath}/replica` })
  onTestFinished(async () => void (await replica.stop()))
  const pageAt = async ({ url, as }: Demo, user: string) => {
    const token = await accessToken(demo.issuer, user)
    return openPage({ url, request: await as(user), token: async () => token })
  }
  for (const [here, there] of [
    [demo, replica],
    [replica, demo],
  ] as const) {
    const [clerk, clerk2] = [await pageAt(here, 'clerk'), await pageAt(there, 'clerk2')]
    const invoice = await postedInvoice(clerk.request)
    const { id, version: expectedVersion } = await clerk2.item('tasks', about(invoice))
    const claim = clerk.request('POST', `/api/work-center/tasks/${id}/claim`, { body: { expectedVersion } })
    await expectAnswer(claim, 200)
    await clerk2.gone('tasks', about(invoice))
    await clerk2.isCurrent()
  }
})

test('a feature is disabled if its configuration key is false', async () => {
  const replica = await startDemo({
    DEMO_DATA_DIR: `${demo.dataPath}/replica`,
    ...sharedParts(demo),
    FeatureManagement__Attachments: 'false',
  })
  onTestFinished(async () => void (await replica.stop()))
  const query = targetQuery(await anInvoice(demo))
  const clerk = await replica.as('clerk')
  await expectAnswer(clerk('GET', `/api/attachments?${query}`), 404, 'feature.disabled')
  const summary = await expectAnswer(clerk('GET', `/api/business-objects/content-summary?${query}`), 200)
  expect(summary).toMatchObject({ attachments: null, notes: expect.any(Number) })
})

test('if a port is in use, the error contains the setting of the port', async () => {
  const taken = (url: string) => new URL(url).port
  const free = { PORT: '0', IDENTITY_PORT: '0', OBJECT_STORE_PORT: '0' }
  const data = { DEMO_DATA_DIR: `${demo.dataPath}/other`, DATABASE_URL: demo.databaseUrl }
  for (const [key, port] of [
    ['PORT', taken(demo.url)],
    ['IDENTITY_PORT', taken(demo.issuer)],
    ['OBJECT_STORE_PORT', taken(demo.objectStore)],
  ] as const) {
    const run = runDemo({ ...free, ...data, [key]: port })
    expect(await run.ended).toBe(1)
    expect(run.stderr()).toBe(
      `${key}: port ${port} is taken. Is another demo running? Set ${key} to a free port, or to 0.\n`,
    )
    expect(run.stdout()).toBe('')
  }
})

test('a second demo with the data directory of a running demo exits with code 1 and deletes no data', async () => {
  const ports = { PORT: '0', IDENTITY_PORT: '0', OBJECT_STORE_PORT: '0' }
  const run = runDemo({ ...ports, DEMO_DATA_DIR: demo.dataPath }, ['--reset'])
  expect(await run.ended).toBe(1)
  expect(run.stderr()).toMatch(/^The PostgreSQL data in \S+ is in use: process \d+ runs server \d+\.\n$/)
  await expectAnswer((await demo.as('viewer'))('GET', '/api/catalogs/trade.customer'), 200)
})

test('a mail that a user switched on arrives on the page of mails, and its link switches it off', async () => {
  const auditor = await demo.as('auditor')
  const path = '/api/me/notification-preferences'
  const code = 'trade.invoice_settled'
  const isOn = async () => {
    const preferences = (await expectAnswer(auditor('GET', path), 200)) as unknown as Preference[]
    return preferences.find((one) => one.code === code && one.channel === 'Email')?.isEnabled
  }
  expect(await isOn()).toBe(false)
  await expectAnswer(
    auditor('PUT', path, { body: { preferences: [{ code, channel: 'Email', isEnabled: true }] } }),
    200,
  )
  const clerk = await demo.as('clerk')
  const payment = await postedPayment(clerk, await postedInvoice(clerk), '25.00')
  await act(clerk, payment, 'trade.apply_payment', { payload: { amount: '25.00' } })
  const mails = async () => (await fetch(`${demo.url}/mails`)).text()
  await expect.poll(mails, { timeout: 20_000 }).toContain('Notification: Invoice settled')
  const page = await mails()
  expect(page).toContain('auditor@example.com')
  const [frame = ''] = /\/mails\/\d+/.exec(page) ?? []
  const mail = await fetch(`${demo.url}${frame}`)
  expect(mail.headers.get('content-security-policy')).toContain('sandbox allow-popups;')
  const [link = ''] = /http:[^"]*\/mail\/unsubscribe\?token=[\w.-]+/.exec(await mail.text()) ?? []
  expect(new URL(link).origin).toBe(new URL(demo.url).origin)
  expect((await fetch(link)).status).toBe(200)
  expect(await isOn()).toBe(true)
  expect((await fetch(link, { method: 'POST' })).status).toBe(200)
  expect(await isOn()).toBe(false)
})

test('a user who is mentioned in a note receives a mail without the text of the note', async () => {
  const [clerk, clerk2] = [await demo.as('clerk'), await demo.as('clerk2')]
  const { userId } = await expectAnswer(clerk('GET', '/api/security/me/access'), 200)
  const { id: parent } = await postedInvoice(clerk2)
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: parent }
  const text = `@[${userId}] a confidential question`
  await expectAnswer(clerk2('POST', '/api/notes', { body: { target, text } }), 201)
  const mails = async () => (await fetch(`${demo.url}/mails`)).text()
  await expect.poll(mails).toContain('Notification: Mentions in notes')
  const page = await mails()
  expect(page).toContain('To clerk@example.com')
  expect(page).not.toContain('confidential')
})
