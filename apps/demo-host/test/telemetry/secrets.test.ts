import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { expectAnswer } from '../answers.ts'
import type { Request } from '../demo-process.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { attach } from '../uploads.ts'
import { openMeasuredHost } from './measured-host.ts'

/** A mark in every value that the test sends. */
const canary = 'c4n4ry'

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Sends marked values in the path, the query, the headers and the body of every route, with and without a sign-in. */
async function visitEveryRoute(url: string, requests: readonly Request[]): Promise<number> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as Description
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  )
  const query = new URLSearchParams(
    ['kind', 'typeCode', 'objectId', 'cursor', 'search', 'tab', canary].map((name) => [name, canary]),
  )
  const headers = {
    'Idempotency-Key': canary,
    'X-Request-Id': canary,
    'User-Agent': canary,
    [canary]: canary,
  }
  const fields = ['text', 'name', 'code', 'subject', 'reason', 'fileName', 'payload', 'fields', canary]
  const body = Object.fromEntries(fields.map((field) => [field, canary]))
  for (const request of requests) {
    for (const [method, path] of routes) {
      for (const value of [canary, randomUUID()]) {
        const address = `${path.replaceAll(/\{\w+\}/g, value)}?${query}`
        await request(method, address, { headers, ...(method === 'GET' ? {} : { body }) })
      }
    }
  }
  return routes.length
}

/** Sends marked values that the host stores, and returns ids that must not appear either. */
async function storeMarkedValues(clerk: Request, admin: Request): Promise<readonly string[]> {
  const item = await expectAnswer(clerk('POST', '/api/catalogs/trade.item', { body: { name: canary } }), 201)
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: invoice.id }
  const note = await expectAnswer(clerk('POST', '/api/notes', { body: { target, text: canary } }), 201)
  const file = { fileName: `${canary}.txt`, contentType: 'text/plain', bytes: Buffer.from(canary) }
  const attachment = await attach(clerk, target, file)
  const action = `/api/documents/trade.sales_invoice/${invoice.id}/actions`
  const headers = { 'Idempotency-Key': canary }
  const posting = { headers, body: { expectedVersion: 1 } }
  await expectAnswer(clerk('POST', `${action}/post`, posting), 200)
  const role = { code: canary, name: canary, description: canary, permissions: [] }
  const { id: roleId } = await expectAnswer(admin('POST', '/api/security/roles', { body: role }), 201)
  // PostgreSQL's message for the second role contains the code.
  await expectAnswer(admin('POST', '/api/security/roles', { body: role }), 409, 'roles.code_taken')
  const user = { subject: canary, email: `${canary}@example.com`, displayName: canary, roleIds: [roleId] }
  await expectAnswer(admin('POST', '/api/security/users', { body: user }), 201)
  return [item.id, invoice.id, note.id, attachment.id, roleId]
}

test('no value of a request appears in a span or a metric', async () => {
  const { replica, telemetry } = await openMeasuredHost()
  const [clerk, admin] = [await replica.as('clerk'), await replica.as('admin')]
  const ids = await storeMarkedValues(clerk, admin)
  const withoutToken: Request = (method, path, options) =>
    fetch(`${replica.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${canary}`, ...options?.headers },
    })
  expect(await visitEveryRoute(replica.url, [admin, withoutToken])).toBeGreaterThan(50)
  const { hostname, port } = new URL(replica.url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET /hubs/work-center?access_token=${canary} HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n`)
  socket.write(
    'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  await text(socket)
  await text(connect(Number(port), hostname).end(`${canary}\r\n\r\n`))

  const exported = JSON.stringify({
    spans: telemetry.spans.map(({ name, attributes, status, events, links }) => ({
      ...{ name, attributes, status, events },
      links: links.map((link) => link.attributes),
    })),
    values: await telemetry.values(),
  })
  expect(telemetry.spans.length).toBeGreaterThan(500)
  for (const kind of ['S3/', 'action trade.sales_invoice post', 'INSERT core_audit.roles', 'GET /hubs/']) {
    expect(exported).toContain(kind)
  }
  for (const secret of [canary, ...ids, 'demo-secret-key', 'X-Amz']) {
    expect(exported.includes(secret), `${secret} is exported`).toBe(false)
  }
})
