import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSend } from '../src/client/send.ts'

/** Simulates a silent connection: no response arrives, and the request rejects only when its signal is aborted. */
const silent: typeof fetch = (_input, init) =>
  new Promise((_resolve, reject) => {
    const signal = init?.signal
    if (signal?.aborted === true) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

describe('credentials', () => {
  it.each([
    [
      'consist of the token without cookies if the client has an access token',
      { accessToken: () => 'a-token' },
      ['omit', 'Bearer a-token'],
    ],
    ['are the cookies of the origin if the client has no access token', {}, ['same-origin', null]],
  ] as const)('%s', async (_case, options, sent) => {
    const seen: unknown[] = []
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      seen.push(init?.credentials, new Headers(init?.headers).get('Authorization'))
      return new Response(null, { status: 204 })
    }
    await createSend({ ...options, fetch })({ method: 'GET', path: '/api/notes' })
    expect(seen).toEqual(sent)
  })
})

describe('a request without a response', () => {
  afterEach(() => vi.restoreAllMocks())

  it('fails with client.unreachable at its time limit, which is longer for changes than for reads, and longest for files', async () => {
    const limit = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    const send = createSend({ accessToken: () => null, fetch: silent })
    const sent = send({ method: 'POST', path: '/api/notes', body: {}, signal: new AbortController().signal })
    await vi.waitFor(() => expect(timeout).toHaveBeenCalled())
    limit.abort(new DOMException('The time is over.', 'TimeoutError'))
    await expect(sent).rejects.toMatchObject({ code: 'client.unreachable', status: 0 })
    void send({ method: 'GET', path: '/api/notes' }).catch(() => {})
    void send({ method: 'GET', path: '/api/audit/search', isFile: true }).catch(() => {})
    await vi.waitFor(() => expect(timeout).toHaveBeenCalledTimes(3))
    expect(timeout.mock.calls.map(([ms]) => ms)).toEqual([150_000, 30_000, 1_800_000])
  })

  it('fails with client.unreachable at its time limit, also while its token is pending', async () => {
    const limit = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    const send = createSend({ accessToken: () => new Promise(() => {}), fetch: silent })
    const sent = send({ method: 'POST', path: '/api/notes', body: {} })
    limit.abort(new DOMException('The time is over.', 'TimeoutError'))
    await expect(sent).rejects.toMatchObject({ code: 'client.unreachable', status: 0 })
  })

  it('rejects with the abort reason if its signal is aborted before the time limit', async () => {
    const ending = new AbortController()
    const send = createSend({ accessToken: () => null, fetch: silent })
    const sent = send({ method: 'GET', path: '/api/notes', signal: ending.signal })
    ending.abort(new Error('No longer needed.'))
    await expect(sent).rejects.toThrow('No longer needed.')
  })
})
