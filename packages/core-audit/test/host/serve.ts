import { ProblemDetails } from '@vertical-kit/core-audit/contract'
import { listen, type RunningServer } from '@vertical-kit/core-audit/host'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import type { TestHost } from '@vertical-kit/core-audit/testing'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import * as v from 'valibot'
import { expect, onTestFinished } from 'vitest'
import { openHostWithout } from '../harness.ts'

/** Creates a handler for `/held` that answers when the test releases it. */
function holding() {
  const entered = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  return {
    entered: entered.promise,
    release: released.resolve,
    tellEntered: entered.resolve,
    released: released.promise,
  }
}

/** A listening host for one test, and its handler at `/held`. */
export interface Served {
  readonly server: RunningServer
  readonly host: TestHost
  readonly held: ReturnType<typeof holding>
  /** The paths of the requests that reached the application, and the entries that `/noted` and `/bare` add. */
  readonly handled: readonly string[]
}

/** Listens on a free port until the test ends. */
export async function serve({ silenceMs }: { readonly silenceMs?: number } = {}): Promise<Served> {
  const held = holding()
  const handled: string[] = []
  const router = new Hono<KitEnv>()
    .use('*', async (c, next) => {
      handled.push(c.req.path)
      await next()
    })
    .get('/thing', (c) => c.text('thing'))
    .get('/other', (c) => c.text('other'))
    .get('/large', (c) => c.body(new Uint8Array(64 * 2 ** 20)))
    .get('/noted', (c) => {
      // The next task of the event loop represents the requests of other connections.
      setImmediate(() => handled.push('others'))
      return c.text('noted')
    })
    .get('/held', async (c) => {
      held.tellEntered()
      await held.released
      return c.text('held')
    })
    .get('/streamed', (c) =>
      stream(c, async (out) => {
        await out.write('first ')
        held.tellEntered()
        await held.released
        await out.write('last')
      }),
    )
    .post(
      '/body',
      api({
        operationId: 'body',
        tag: 'Test',
        summary: 'Accepts a body.',
        body: v.unknown(),
        bodyLimitBytes: 100,
        responses: { 200: { description: 'Accepted' } },
      }),
      (c) => c.text('taken'),
    )
    .post(
      '/bare',
      api({
        operationId: 'bare',
        tag: 'Test',
        summary: 'Ignores a body.',
        bodyLimitBytes: 100,
        responses: { 200: { description: 'Accepted' } },
      }),
      (c) => {
        handled.push('executed')
        return c.text('done')
      },
    )
  const host = await openHostWithout(router)
  const server = await listen(host.app, {
    ...{ host: '127.0.0.1', port: 0 },
    ...(silenceMs !== undefined && { silenceMs }),
  })
  onTestFinished(async () => {
    held.release()
    await server.close(0)
  })
  return { server, host, held, handled }
}

/** Returns the status codes of the answers in received text. */
export const statuses = (text: string): readonly string[] => text.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []

/** Returns the number of open connections of the server. */
export const connectionCount = ({ server }: RunningServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })

/** Returns the problem document in received text. */
export const problemIn = (text: string): ProblemDetails =>
  v.parse(ProblemDetails, JSON.parse(/\{.*\}/s.exec(text)?.[0] ?? ''))

/** Expects one answer, a problem document whose request id is also in the header. */
export function expectProblem(text: string, status: number, code: string): void {
  expect(statuses(text)).toEqual([String(status)])
  expect(text).toMatch(/^content-type: application\/problem\+json/im)
  expect(text).toMatch(/^x-content-type-options: nosniff\r$/im)
  expect(text).toMatch(/^referrer-policy: no-referrer\r$/im)
  const problem = problemIn(text)
  expect(problem).toMatchObject({ status, code })
  expect(text.toLowerCase()).toContain(`x-request-id: ${problem.requestId}`)
}
