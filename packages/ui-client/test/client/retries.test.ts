import { newIdempotencyKey } from '@vertical-kit/ui-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { openBehindNetwork, refusalOf } from './behind-network.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const open = (user?: string) => openBehindNetwork(host, user)

const busy = (retryAfter?: string) => ({
  status: 503,
  headers: {
    'Content-Type': 'application/problem+json',
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
  },
  body: JSON.stringify({
    type: 'urn:vertical-kit:problem:service.unavailable',
    title: 'Service Unavailable',
    status: 503,
    detail: 'The service is busy.',
    code: 'service.unavailable',
    requestId: 'r-1',
  }),
})

const faults = [
  ['a lost request', 'cut before'],
  ['a lost response', 'lose answer'],
  ['a truncated response', 'cut body'],
] as const

describe('a repeatable call', () => {
  test.each(faults)('is retried after %s', async (_case, fault) => {
    const { network, client, target, waitsMs } = await open()
    network.next('/api/notes', fault, fault)
    expect(await client.notes.list({ target })).toEqual({ items: [], nextCursor: null })
    expect(network.seen).toHaveLength(3)
    expect(waitsMs).toHaveLength(2)
  })

  test('fails after four attempts', async () => {
    const { network, client, target } = await open()
    network.next('/api/notes', 'cut before', 'cut before', 'cut before', 'cut before')
    expect(await refusalOf(client.notes.list({ target }))).toMatchObject({
      code: 'client.unreachable',
      status: 0,
      requestId: null,
      cause: expect.any(TypeError),
    })
    expect(network.seen).toHaveLength(4)
  })

  test('waits for the time in Retry-After, and fails if this time is too long', async () => {
    const { network, client, target, waitsMs } = await open()
    network.next('/api/notes', busy('2'), busy('600'))
    expect(await refusalOf(client.notes.list({ target }))).toMatchObject({
      code: 'service.unavailable',
      retryAfterMs: 600_000,
      requestId: 'r-1',
      message: 'The service is busy.',
    })
    expect(waitsMs).toHaveLength(1)
    expect(waitsMs[0]).toBeGreaterThanOrEqual(2000)
    expect(waitsMs[0]).toBeLessThanOrEqual(3000)
  })

  test('that deletes a note is repeated after a lost response, and the service records one audit event', async () => {
    const { network, client, target } = await open()
    const { id } = await client.notes.create({ target, text: 'gone' })
    network.next('/api/notes/', 'lose answer')
    expect(await client.notes.delete({ id, version: 1 })).toMatchObject({ id, isDeleted: true, version: 1 })
    const { items } = await client.audit.list({ target })
    expect(items.filter(({ actionCode }) => actionCode === 'notes.mark_for_deletion')).toHaveLength(1)
  })

  test('that executes an action is repeated with the same key and body, and the action runs once', async () => {
    const { network, client, document } = await open()
    const payload = { any: 'thing' }
    network.next('/api/documents', busy(), 'lose answer', 'cut body')
    const executed = client.documents.execute({
      ...document,
      actionCode: 'post',
      expectedVersion: 1,
      payload,
      idempotencyKey: newIdempotencyKey(),
    })
    // Changing the caller's object after the call does not change the request.
    payload.any = 'other'
    expect(await executed).toMatchObject({ documentVersion: 2, document: { status: 'Posted' } })
    const sent = network.seen.map(({ headers, body }) => ({ key: headers['idempotency-key'], body }))
    expect(sent).toHaveLength(4)
    expect(new Set(sent.map(({ key, body }) => `${key} ${body}`)).size).toBe(1)
    expect(sent[0]?.body).toContain('"thing"')
    expect(await client.documents.editorState(document)).toMatchObject({ documentVersion: 2 })
  })
})

describe('a non-repeatable call', () => {
  test.each(faults)('is sent only once, even after %s', async (_case, fault) => {
    const { network, client, target } = await open()
    network.next('/api/notes', fault)
    expect(await refusalOf(client.notes.create({ target, text: 'once' }))).toMatchObject({
      code: 'client.unreachable',
    })
    expect(network.seen).toHaveLength(1)
    const { items } = await client.notes.list({ target })
    expect(items).toHaveLength(fault === 'cut before' ? 0 : 1)
  })

  test('that edits a note or reserves an upload is sent only once, even if the service is busy', async () => {
    const { network, client, target } = await open()
    const { id } = await client.notes.create({ target, text: 'first' })
    network.seen.length = 0
    network.next('/api/notes', busy())
    await refusalOf(client.notes.update({ id, text: 'second', version: 1 }))
    network.next('/api/attachments', busy())
    const file = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 }
    await refusalOf(client.attachments.reserve({ target, ...file }))
    expect(network.seen.map(({ method }) => method)).toEqual(['PUT', 'POST'])
  })

  test('that releases tasks is sent only once, because the service refuses a second release', async () => {
    const { network, client } = await open()
    const id = newIdempotencyKey()
    network.next('/api/work-center', 'lose answer', 'lose answer')
    const lost = { code: 'client.unreachable' }
    expect(await refusalOf(client.workCenter.releaseTask(id, 1))).toMatchObject(lost)
    const items = [{ kind: 'Task', id, expectedVersion: 1 }] as const
    expect(await refusalOf(client.workCenter.batch({ verb: 'release', items }))).toMatchObject(lost)
    expect(network.seen).toHaveLength(2)
  })
})
