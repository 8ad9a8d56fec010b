import { newIdempotencyKey } from '@vertical-kit/ui-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { held } from '../network/faulty-network.ts'
import { signIn } from '../signed-in.ts'
import { openBehindNetwork, refusalOf } from './behind-network.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

const open = (user?: string) => openBehindNetwork(host, user)

describe('the token', () => {
  test('is renewed once after the service refuses it, and the request is sent again even if it is not repeatable', async () => {
    const { network, target } = await open()
    const asked: boolean[] = []
    const valid = await host.token('clerk')
    const { client } = await signIn(host, 'clerk', {
      url: network.url,
      accessToken: ({ refresh }) => {
        asked.push(refresh)
        return refresh ? valid : 'expired'
      },
    })
    expect(await client.notes.create({ target, text: 'signed in again' })).toMatchObject({ version: 1 })
    expect(asked).toEqual([false, true])
    expect(network.seen.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer expired',
      `Bearer ${valid}`,
    ])
  })

  test('is renewed only once per call, and never if it is missing', async () => {
    const { network, target } = await open()
    const refused = await signIn(host, 'clerk', { url: network.url, accessToken: () => 'expired' })
    expect(await refusalOf(refused.client.notes.list({ target }))).toMatchObject({
      code: 'auth.required',
      status: 401,
      requestId: expect.any(String),
    })
    expect(network.seen).toHaveLength(2)
    const anonymous = await signIn(host, 'clerk', { url: network.url, accessToken: () => null })
    expect(await refusalOf(anonymous.client.notes.list({ target }))).toMatchObject({ code: 'auth.required' })
    expect(network.seen).toHaveLength(3)
    expect(network.seen.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('if the token cannot be loaded, a change fails with client.unreachable, and a read is retried', async () => {
    const { network, target } = await open()
    let failures = 2
    const valid = await host.token('clerk')
    const { client } = await signIn(host, 'clerk', {
      url: network.url,
      async accessToken() {
        if (failures === 0) return valid
        failures -= 1
        throw new TypeError('fetch failed')
      },
    })
    expect(await refusalOf(client.notes.create({ target, text: 'not sent' }))).toMatchObject({
      code: 'client.unreachable',
      cause: expect.any(TypeError),
    })
    expect(network.seen).toHaveLength(0)
    expect(await client.notes.list({ target })).toEqual({ items: [], nextCursor: null })
  })

  test('is sent without cookies, and responses never come from the browser cache', async () => {
    const inits: RequestInit[] = []
    const { client } = await signIn(host, 'clerk', {
      fetch: (url, init) => {
        inits.push(init ?? {})
        return fetch(url, init)
      },
    })
    await client.features.list()
    expect(inits).toMatchObject([{ credentials: 'omit', cache: 'no-store' }])
  })
})

describe('refusals', () => {
  test('contain the code, the invalid fields and the context from the service', async () => {
    const { client, target, document } = await open()
    const invalid = await refusalOf(client.notes.list({ target: { ...target, id: 'none' } }))
    expect(invalid).toMatchObject({ name: 'KitError', code: 'request.invalid', status: 400 })
    expect(invalid.errors).toEqual([
      { path: expect.stringContaining('objectId'), message: expect.any(String) },
    ])
    expect(invalid.requestId).toMatch(/./)
    const stale = await refusalOf(
      client.documents.execute({
        ...document,
        actionCode: 'post',
        expectedVersion: 7,
        idempotencyKey: newIdempotencyKey(),
      }),
    )
    expect(stale).toMatchObject({
      code: 'documents.version_conflict',
      context: { expectedVersion: 7, actualVersion: 1 },
    })
  })

  test('for a missing permission are not retried', async () => {
    const { network, client, target } = await open('viewer')
    expect(await refusalOf(client.notes.create({ target, text: 'no' }))).toMatchObject({
      code: 'permission.denied',
      status: 403,
      context: { permission: 'system.notes.create' },
    })
    expect(network.seen).toHaveLength(1)
  })

  test('from a proxy have the code client.unexpected_response', async () => {
    const { network, client, target } = await open()
    const page = { headers: { 'Content-Type': 'text/html', 'X-Request-Id': 'r-2' }, body: '<h1>Sign in</h1>' }
    network.next('/api/notes', { status: 200, ...page }, { status: 404, ...page })
    for (const status of [200, 404]) {
      expect(await refusalOf(client.notes.list({ target }))).toMatchObject({
        code: 'client.unexpected_response',
        status,
        requestId: 'r-2',
      })
    }
    // Status 502 is temporary, so the read is retried: the service behind the gateway may become available.
    network.next('/api/notes', { status: 502, ...page })
    expect(await client.notes.list({ target })).toMatchObject({ items: [] })
  })

  test('with a truncated body count as missing responses, and only reads are retried', async () => {
    const { network, client, target } = await open()
    const missing = { ...target, id: '019a0000-0000-7000-8000-000000000000' }
    network.next('/api/notes', 'cut body')
    expect(await refusalOf(client.notes.list({ target: missing }))).toMatchObject({
      code: 'business_object.not_found',
    })
    network.next('/api/notes', 'cut body')
    expect(await refusalOf(client.notes.create({ target: missing, text: 'a' }))).toMatchObject({
      code: 'client.unreachable',
    })
  })

  test('the client throws for an id that would change the path, and encodes slashes in ids', async () => {
    const { network, client } = await open()
    expect(() => client.notes.delete({ id: '..', version: 1 })).toThrow(TypeError)
    const slashes = await refusalOf(client.notes.delete({ id: '../../security/me/access', version: 1 }))
    expect(slashes.status).toBeGreaterThanOrEqual(400)
    expect(network.seen.map(({ path }) => path)).toEqual([
      '/api/notes/..%2F..%2Fsecurity%2Fme%2Faccess?version=1',
    ])
  })
})

describe('an aborted call', () => {
  const reason = new Error('no longer needed')

  test('rejects with the abort reason if it is aborted during the request', async () => {
    const { network, client, target } = await open()
    const ending = new AbortController()
    const answer = held()
    network.next('/api/notes', answer)
    const call = client.notes.list({ target, signal: ending.signal })
    await answer.arrived
    ending.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(network.seen).toHaveLength(1)
  })

  test('rejects with the abort reason if it is aborted while its token is pending, and is never sent', async () => {
    const { network, target } = await open()
    const ending = new AbortController()
    const token = Promise.withResolvers<string>()
    const { client } = await signIn(host, 'clerk', { url: network.url, accessToken: () => token.promise })
    const call = client.notes.list({ target, signal: ending.signal })
    ending.abort(reason)
    await expect(call).rejects.toBe(reason)
    token.resolve(await host.token('clerk'))
    await expect(client.notes.list({ target })).resolves.toMatchObject({ items: [] })
    expect(network.seen).toHaveLength(1)
  })

  test('rejects with the abort reason if it is aborted before a retry, and sends no retry', async () => {
    const { network, target } = await open()
    const ending = new AbortController()
    const { client } = await signIn(host, 'clerk', {
      url: network.url,
      wait: async (_ms, signal) => {
        ending.abort(reason)
        signal?.throwIfAborted()
      },
    })
    network.next('/api/notes', 'cut before')
    await expect(client.notes.list({ target, signal: ending.signal })).rejects.toBe(reason)
    expect(network.seen).toHaveLength(1)
  })

  test('is not sent if its signal was already aborted', async () => {
    const { network, client, target } = await open()
    await expect(client.notes.list({ target, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(network.seen).toHaveLength(0)
  })
})
