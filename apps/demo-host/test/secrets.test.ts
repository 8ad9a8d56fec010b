import { connect } from 'node:net'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { expectAnswer } from './answers.ts'
import {
  accessToken,
  type Demo,
  externalStore,
  type OpenDemo,
  openDemo,
  type Request,
  sharedParts,
  startDemo,
} from './demo-process.ts'
import { type PresignedUpload, put, reserve, type Target } from './uploads.ts'
import { openPage } from './work-center/page.ts'

/** Unique values that the test later searches in logs, audit rows and refusals. */
const canaries = {
  noteText: 'canary-note-7f3a',
  fileName: 'canary-file-19c2.txt',
  storeSecret: 'canary-store-secret-55d1',
  wrongSecret: 'canary-wrong-secret-ab04',
  badToken: 'canary.bad.token-e7e7',
  queryToken: 'canary-query-token-3d90',
  hubToken: 'canary-hub-token-91be',
} as const

let demo: OpenDemo
let sql: postgres.Sql
/** The bodies of all refusals. */
const refusals: string[] = []
/** The values that must not appear in logs, audit rows and refusals. */
const secrets: string[] = []

beforeAll(async () => {
  demo = await openDemo({
    LOG_LEVEL: 'trace',
    Attachments__Storage__SecretKey: canaries.storeSecret,
  })
  sql = postgres(demo.databaseUrl, { max: 1 })
  secrets.push(new URL(demo.databaseUrl).password, canaries.storeSecret, canaries.wrongSecret)
})
afterAll(async () => {
  await sql.end()
  await demo.close()
})

/** Returns a client for a user. The client records the bodies of all refusals. */
async function as(of: Demo, user: string): Promise<Request> {
  secrets.push(await accessToken(of.issuer, user))
  const request = await of.as(user)
  return async (...call) => {
    const response = await request(...call)
    if (!response.ok) refusals.push(await response.clone().text())
    return response
  }
}

const rememberSignature = (url: string): void => {
  const signature = new URL(url).searchParams.get('X-Amz-Signature')
  if (signature === null) throw new Error('The URL is not signed')
  secrets.push(signature)
}

async function reserved(clerk: Request, target: Target): Promise<{ id: string; upload: PresignedUpload }> {
  const file = { fileName: canaries.fileName, contentType: 'text/plain', bytes: Buffer.from('x') }
  const { attachment, upload } = await reserve(clerk, target, file)
  rememberSignature(upload.url)
  return { id: attachment.id, upload }
}

async function exerciseContent(clerk: Request, target: Target): Promise<void> {
  const { id, upload } = await reserved(clerk, target)
  await expectAnswer(clerk('POST', `/api/attachments/${id}/complete`), 409, 'attachments.upload_missing')
  expect(await put(upload, Buffer.from('x'))).toBe(200)
  await expectAnswer(clerk('POST', `/api/attachments/${id}/complete`), 200)
  for (const action of ['download', 'audit-download']) {
    rememberSignature(
      String((await expectAnswer(clerk('POST', `/api/attachments/${id}/${action}`), 200))['url']),
    )
  }
  expect((await clerk('DELETE', `/api/attachments/${id}`)).status).toBe(204)
  await expectAnswer(clerk('POST', `/api/attachments/${id}/download`), 409, 'attachments.deleted')

  const text = canaries.noteText
  const note = await expectAnswer(clerk('POST', '/api/notes', { body: { target, text } }), 201)
  const path = `/api/notes/${note.id}`
  await expectAnswer(clerk('PUT', path, { body: { text, version: 9 } }), 409, 'notes.version_conflict')
  await expectAnswer(
    clerk('PUT', path, { body: { text: `${text}\0`, version: 1 } }),
    400,
    'notes.text_invalid',
  )
  await expectAnswer(clerk('DELETE', `${path}?version=1`), 200)
}

async function exerciseRefusals(clerk: Request, target: Target): Promise<void> {
  const { noteText, badToken, queryToken } = canaries
  const bearer = { headers: { Authorization: `Bearer ${badToken}` } }
  await expectAnswer(clerk('GET', '/api/features', bearer), 401, 'auth.required')
  await expectAnswer(clerk('GET', `/api/nowhere?access_token=${queryToken}`), 404, 'request.route_not_found')
  const wrong = { ...target, kind: noteText }
  await expectAnswer(
    clerk('POST', '/api/notes', { body: { target: wrong, text: noteText } }),
    400,
    'business_object.unsupported',
  )
  await expectAnswer(clerk('POST', '/api/notes', { body: { target: noteText } }), 400, 'request.invalid')
}

/** Causes a statement of a write to fail. The error of the database driver then contains all parameters. */
async function exerciseFault(clerk: Request, target: Target): Promise<void> {
  await sql`alter table notes.notes rename to hidden`
  try {
    const body = { target, text: canaries.noteText }
    await expectAnswer(clerk('POST', '/api/notes', { body }), 500, 'internal')
  } finally {
    await sql`alter table notes.hidden rename to notes`
  }
}

/** Runs a replica with a wrong secret key for its store, and another replica with an unreachable store. */
async function exerciseOutages(target: Target): Promise<string> {
  const shared = {
    ...sharedParts(demo),
    DEMO_DATA_DIR: demo.dataPath,
    LOG_LEVEL: 'trace',
  }
  let output = ''
  for (const store of [demo.objectStore, 'http://127.0.0.1:1']) {
    const replica = await startDemo({
      ...shared,
      ...externalStore(store),
      Attachments__Storage__SecretKey: canaries.wrongSecret,
    })
    onTestFinished(async () => void (await replica.stop()))
    const clerk = await as(replica, 'clerk')
    const { id } = await reserved(clerk, target)
    await expectAnswer(
      clerk('POST', `/api/attachments/${id}/complete`),
      503,
      'attachments.storage_unavailable',
    )
    await replica.stop()
    output += replica.stdout() + replica.stderr()
  }
  return output
}

/** Connects pages to the hub with a valid and an invalid token. Browsers can send the token only in the URL. */
async function exerciseHub(clerk: Request): Promise<void> {
  const token = async () => accessToken(demo.issuer, 'clerk')
  secrets.push(await token())
  const kept = await token()
  secrets.push(kept)
  const page = await openPage({ url: demo.url, request: clerk, token: async () => kept })
  await page.isCurrent()
  await page.close()
  const refused = openPage({ url: demo.url, request: clerk, token: async () => canaries.hubToken })
  await expect(refused).rejects.toThrow(/401/)
  for (const path of ['/hubs/work-center/negotiate', '/hubs/work-center', '/hubs/nowhere']) {
    for (const [method, value] of [
      ['POST', canaries.hubToken],
      ['GET', kept],
    ] as const) {
      await clerk(method, `${path}?access_token=${value}`)
    }
  }
  await refusedUpgrade(`/hubs/work-center?id=x&access_token=${canaries.hubToken}`)
  await refusedUpgrade(`/hubs/nowhere?id=x&access_token=${kept}`)
}

/** Requests a WebSocket at a path that does not support WebSockets, and records the refusal. */
async function refusedUpgrade(path: string): Promise<void> {
  const { hostname, port } = new URL(demo.url)
  const socket = connect(Number(port), hostname)
  socket
    .setEncoding('utf8')
    .write(
      [
        `GET ${path} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        '\r\n',
      ].join('\r\n'),
    )
  let answer = ''
  for await (const chunk of socket) answer += chunk
  expect(answer).toMatch(/^HTTP\/1\.1 40[14] /)
  refusals.push(answer)
}

const unwanted = (text: string, values: readonly string[]): readonly string[] =>
  values.filter((value) => text.includes(value))

test('log lines, audit rows and refusals contain no secret, token or signed URL, and log lines contain no text of notes', async () => {
  const clerk = await as(demo, 'clerk')
  const { items } = await expectAnswer(clerk('GET', '/api/documents/trade.sales_invoice?limit=1'), 200)
  const target: Target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: items[0]?.id ?? '' }
  await exerciseContent(clerk, target)
  await exerciseRefusals(clerk, target)
  await exerciseFault(clerk, target)
  await exerciseHub(clerk)
  const outages = await exerciseOutages(target)

  // Only the ready line is allowed to contain the database URL with the password.
  const logs = `${demo.stdout()}${demo.stderr()}${outages}`.replace(/^ready .*$/gm, '')
  const { noteText, fileName, badToken, queryToken, hubToken } = canaries
  const tokens = [badToken, queryToken, hubToken]
  expect(logs).toContain('"code":"internal"')
  expect(logs).toContain('"code":"attachments.storage_unavailable"')
  expect(logs).toContain('/hubs/work-center')
  expect(unwanted(logs, [...secrets, ...tokens, noteText, fileName, 'X-Amz-'])).toEqual([])

  const events = JSON.stringify(await sql`select to_jsonb(e) as event from core_audit.outbox_events e`)
  expect(events).toContain('document.action.completed')
  expect(unwanted(events, [...secrets, ...tokens, noteText, fileName, 'X-Amz-', 'uploads/'])).toEqual([])
  const rows = await sql`select to_jsonb(e) as event from core_audit.audit_events e`
  const audit = JSON.stringify(rows)
  expect(audit).toContain(noteText)
  expect(audit).toContain(fileName)
  expect(unwanted(audit, [...secrets, ...tokens, 'X-Amz-', 'uploads/', demo.objectStore])).toEqual([])

  expect(refusals.length).toBeGreaterThan(8)
  const bodies = refusals.join('\n')
  expect(
    unwanted(bodies, [...secrets, ...tokens, noteText, fileName, 'X-Amz-', 'uploads/', demo.objectStore]),
  ).toEqual([])
  expect(bodies).not.toMatch(/select |insert |notes\.notes|127\.0\.0\.1|postgres|\bat .*\.ts:/)
})
