import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { attach } from '../uploads.ts'
import { about, pageOf } from '../work-center/page.ts'
import { openMeasuredHost } from './measured-host.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

test('a trace leads from the request through the action to the span of the consumer', async () => {
  const { replica, telemetry } = await openMeasuredHost()
  const page = await pageOf(replica, 'clerk')
  const invoice = await draftSales(page.request, 'trade.sales_invoice')
  telemetry.clear()
  const path = `/api/documents/trade.sales_invoice/${invoice.id}/actions/post`
  const headers = { traceparent, 'Idempotency-Key': 'traced' }
  await expectAnswer(page.request('POST', path, { headers, body: { expectedVersion: 1 } }), 200)
  await page.item('tasks', about(invoice))

  const lines = telemetry.tree(traceId).split('\n')
  expect(lines[0]).toBe('server POST /api/documents/:documentType/:id/actions/:actionCode')
  const action = lines.indexOf('  internal action trade.sales_invoice post')
  expect(action).toBeGreaterThan(0)
  // The statements before the action load the caller; all others belong to the action.
  expect(lines.slice(1, action).every((line) => line.startsWith('  client SELECT core_audit.users'))).toBe(
    true,
  )
  const ofAction = lines.slice(action + 1)
  // After the commit, the replica announces that the invoice changed.
  const announcement = /^ {4}producer send work_center_versions$|^ {6}client SELECT$/
  expect(ofAction.every((line) => /^ {4}client [A-Z]/.test(line) || announcement.test(line))).toBe(true)
  expect(ofAction).toContain('    client BEGIN')
  expect(ofAction).toContain('    client COMMIT')
  const written = ofAction.find((line) => line.includes('INSERT core_audit.outbox_events'))
  expect(written).toContain('INSERT document_actions.executions')

  const actionSpan = telemetry.spans.find(({ name }) => name === 'action trade.sales_invoice post')
  expect(actionSpan?.attributes).toEqual({
    'vertical_kit.document.type': 'trade.sales_invoice',
    'vertical_kit.action.code': 'post',
    'vertical_kit.action.outcome': 'completed',
  })
  const consumer = telemetry.spans.find(({ links }) =>
    links.some(({ context }) => context.traceId === traceId),
  )
  expect(consumer).toMatchObject({ kind: SpanKind.CONSUMER, name: 'process work-center' })
  expect(consumer?.links[0]?.context.spanId).toBe(actionSpan?.spanContext().spanId)
  expect(consumer?.spanContext().traceId).not.toBe(traceId)
  expect(telemetry.tree(consumer?.spanContext().traceId ?? '')).toContain('INSERT work_center.')
})

test('calls to the store, connections and announcements have spans', async () => {
  const { replica, telemetry } = await openMeasuredHost()
  const page = await pageOf(replica, 'clerk')
  const invoice = await postedInvoice(page.request)
  await page.item('tasks', about(invoice))
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: invoice.id }
  await attach(page.request, target, {
    fileName: 'a.txt',
    contentType: 'text/plain',
    bytes: Buffer.from('a'),
  })

  const completion = telemetry.spans.find(({ name }) => name === 'POST /api/attachments/:id/complete')
  const tree = telemetry.tree(completion?.spanContext().traceId ?? '').split('\n')
  expect(tree.filter((line) => line.includes('S3/'))).toEqual([
    '  client S3/HeadObject',
    '  client S3/CopyObject',
    '  client S3/HeadObject',
  ])
  expect(telemetry.spans.find(({ name }) => name === 'GET /hubs/work-center')?.kind).toBe(SpanKind.SERVER)
  expect(telemetry.spans.find(({ name }) => name === 'send work_center_versions')?.kind).toBe(
    SpanKind.PRODUCER,
  )
  const values = await telemetry.values()
  expect(values.find(({ name }) => name === 'vertical_kit.hub.connections')?.value).toBe(1)
  expect(values.find(({ name }) => name === 'vertical_kit.hub.announcements')?.value).toBeGreaterThan(0)
})

test('actions are counted by type, code and outcome', async () => {
  const { replica, telemetry } = await openMeasuredHost()
  const clerk = await replica.as('clerk')
  const invoice = await draftSales(clerk, 'trade.sales_invoice')
  const path = `/api/documents/trade.sales_invoice/${invoice.id}/actions`
  const post = (key: string, body: object, code = 'post') =>
    clerk('POST', `${path}/${code}`, { headers: { 'Idempotency-Key': key }, body })
  const request = { expectedVersion: 1 }
  await expectAnswer(post('once', request), 200)
  await expectAnswer(post('once', request), 200)
  await expectAnswer(post('twice', request), 409, 'documents.version_conflict')
  await expectAnswer(post('none', request, 'c4n4ry'), 404, 'document_action.not_found')
  const executed = telemetry.spans.filter(({ name }) => name === 'action trade.sales_invoice post')
  expect(executed.map(({ status }) => status.code)).toEqual(Array(3).fill(SpanStatusCode.UNSET))
  const outcomes = (await telemetry.values())
    .filter(({ name }) => name === 'vertical_kit.action.executions')
    .map(({ attributes, value }) => [Object.values(attributes).join(' '), value])
  expect(Object.fromEntries(outcomes)).toEqual({
    'trade.sales_invoice post completed': 1,
    'trade.sales_invoice post replayed': 1,
    'trade.sales_invoice post documents.version_conflict': 1,
  })
})
