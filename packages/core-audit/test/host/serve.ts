import { listen, type RunningServer } from '@vertical-kit/core-audit/host'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import type { TestHost } from '@vertical-kit/core-audit/testing'
import { Hono } from 'hono'
import { stream } from 'hono/streaming'
import * as v from 'valibot'
import { onTestFinished } from 'vitest'
import { openHostWithout } from '../harness.ts'

/** A handler at `/held` that answers when the test says so. */
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

/** A host for one test that listens, and its handler at `/held`. */
export interface Served {
  readonly server: RunningServer
  readonly host: TestHost
  readonly held: ReturnType<typeof holding>
  /** The paths of the requests that the application was given, and what `/noted` adds. */
  readonly handled: readonly string[]
}

/** Listens on a free port until the test is over. */
export async function serve(): Promise<Served> {
  const held = holding()
  const handled: string[] = []
  const router = new Hono<KitEnv>()
    .use('*', async (c, next) => {
      handled.push(c.req.path)
      await next()
    })
    .get('/thing', (c) => c.text('thing'))
    .get('/other', (c) => c.text('other'))
    .get('/noted', (c) => {
      // What the event loop does next stands for the requests of other connections.
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
        summary: 'Takes a body.',
        body: v.unknown(),
        bodyLimitBytes: 100,
        responses: { 200: { description: 'Taken' } },
      }),
      (c) => c.text('taken'),
    )
  const host = await openHostWithout(router)
  const server = await listen(host.app, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    held.release()
    await server.close(0)
  })
  return { server, host, held, handled }
}

/** The status codes of the answers in what a raw client received. */
export const statuses = (text: string): readonly string[] => text.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []

/** How many connections the server has open. */
export const connectionCount = ({ server }: RunningServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  })
