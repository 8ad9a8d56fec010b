import { afterEach, describe, expect, it, vi } from 'vitest'
import { createSend } from '../src/client/send.ts'

/** What a connection that has gone silent does: nothing, until who asked gives up. */
const silent: typeof fetch = (_input, init) =>
  new Promise((_resolve, reject) => {
    const signal = init?.signal
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

describe('credentials', () => {
  it.each([
    [
      'with an access token: the token and no cookies',
      { accessToken: () => 'a-token' },
      ['omit', 'Bearer a-token'],
    ],
    ['without an access token: the cookies of the origin', {}, ['same-origin', null]],
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

describe('a request that gets no answer', () => {
  afterEach(() => vi.restoreAllMocks())

  it('ends as unreachable at its limit, which is longer for changes', async () => {
    const limit = new AbortController()
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal)
    const send = createSend({ accessToken: () => null, fetch: silent })
    const sent = send({ method: 'POST', path: '/api/notes', body: {}, signal: new AbortController().signal })
    await vi.waitFor(() => expect(timeout).toHaveBeenCalled())
    limit.abort(new DOMException('The time is over.', 'TimeoutError'))
    await expect(sent).rejects.toMatchObject({ code: 'client.unreachable', status: 0 })
    void send({ method: 'GET', path: '/api/notes' }).catch(() => {})
    await vi.waitFor(() => expect(timeout).toHaveBeenCalledTimes(2))
    expect(timeout.mock.calls.map(([ms]) => ms)).toEqual([150_000, 30_000])
  })

  it('ends with the reason of its own signal when that is aborted first', async () => {
    const ending = new AbortController()
    const send = createSend({ accessToken: () => null, fetch: silent })
    const sent = send({ method: 'GET', path: '/api/notes', signal: ending.signal })
    ending.abort(new Error('Not wanted any more.'))
    await expect(sent).rejects.toThrow('Not wanted any more.')
  })
})
