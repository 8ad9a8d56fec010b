import { SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { CoreError } from '@vertical-kit/core-audit'
import { type KitEnv, problems, requestId } from '@vertical-kit/core-audit/http'
import { telemetry } from '@vertical-kit/core-audit/telemetry'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { Hono } from 'hono'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type RecordedTelemetry, recordTelemetry } from '../../../../vitest.record-telemetry.ts'

let recorded: RecordedTelemetry
beforeAll(() => {
  recorded = recordTelemetry()
})
afterAll(() => recorded.stop())
beforeEach(() => recorded.clear())

const log = captureLog()

/** A router like that of a package. */
const router = new Hono<KitEnv>()
  .get('/api/things/:id', (c) => {
    log.logger.info('handled')
    return c.text('thing')
  })
  .get('/api/fault', () => {
    throw new Error('a secret')
  })
  .get('/api/busy', () => {
    throw new CoreError('service.unavailable')
  })

/** An application of its own with the kit's router. */
const app = new Hono<KitEnv>()
  .use('*', telemetry(), requestId())
  .use('/api/*', async (c, next) => {
    if (c.req.header('authorization') === 'none') throw new CoreError('auth.required')
    await next()
  })
  .route('/', router)
app.onError(problems({ error: () => {} }))
app.notFound((c) => c.text('none', 404))

test('a request has a server span with its route, which never contains the path', async () => {
  await app.request('/api/things/c4n4ry?q=c4n4ry')
  const [span] = recorded.spans
  expect(recorded.spans).toHaveLength(1)
  expect(span?.kind).toBe(SpanKind.SERVER)
  expect(span?.name).toBe('GET /api/things/:id')
  expect(span?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/things/:id',
    'http.response.status_code': 200,
    'url.scheme': 'http',
  })
  expect(await recorded.values()).toContainEqual({
    name: 'http.server.request.duration',
    unit: 's',
    attributes: span?.attributes,
    value: 1,
  })
})

test('a log line of a request has the ids of its span', async () => {
  await app.request('/api/things/1')
  const { traceId, spanId } = recorded.spans[0]?.spanContext() ?? {}
  expect(log.entries.at(-1)).toMatchObject({ trace_id: traceId, span_id: spanId, msg: 'handled' })
  log.logger.info('outside')
  expect(log.entries.at(-1)).not.toHaveProperty('trace_id')
})

test('a refusal before the handler has the route of the handler', async () => {
  await app.request('/api/things/1', { headers: { authorization: 'none' } })
  expect(recorded.spans[0]?.attributes).toMatchObject({
    'http.route': '/api/things/:id',
    'http.response.status_code': 401,
  })
  expect(recorded.spans[0]?.status.code).toBe(SpanStatusCode.UNSET)
})

test('a request without a route has no http.route, and an unknown method is _OTHER', async () => {
  await app.request('/c4n4ry', { method: 'C4N4RY' })
  expect(recorded.spans[0]?.name).toBe('_OTHER')
  expect(recorded.spans[0]?.attributes).toEqual({
    'http.request.method': '_OTHER',
    'http.response.status_code': 404,
    'url.scheme': 'http',
  })
})

test.each([
  ['/api/fault', 500, '500'],
  ['/api/busy', 503, 'service.unavailable'],
])('%s fails its span with a code and without a message', async (path, status, type) => {
  await app.request(path)
  expect(recorded.spans[0]?.attributes).toMatchObject({
    'http.response.status_code': status,
    'error.type': type,
  })
  expect(recorded.spans[0]?.status).toEqual({ code: SpanStatusCode.ERROR })
  expect(recorded.spans[0]?.events).toEqual([])
})

test('a request continues the trace of its traceparent', async () => {
  const [traceId, parentId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  await app.request('/api/things/1', { headers: { traceparent: `00-${traceId}-${parentId}-01` } })
  expect(recorded.spans[0]?.spanContext().traceId).toBe(traceId)
  expect(recorded.spans[0]?.parentSpanContext?.spanId).toBe(parentId)
})

test('inside a span of an HTTP instrumentation, only the name and the route of that span are set', async () => {
  await recorded.inSpan('GET', async () => app.request('/api/things/1'))
  expect(recorded.spans.map(({ name, attributes }) => ({ name, attributes }))).toEqual([
    { name: 'GET /api/things/:id', attributes: { 'http.route': '/api/things/:id' } },
  ])
})
