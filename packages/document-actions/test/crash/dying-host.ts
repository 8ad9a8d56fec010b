// This host kills its own process. Start: `node --conditions=@vertical-kit/source dying-host.ts '<an Assignment as JSON>'`.
// The host runs every request up to its assigned moment, then kills the process while all requests are in progress.

import { openTestHost } from '@vertical-kit/core-audit/testing'
import { createDocumentActions } from '@vertical-kit/document-actions'
import { shopTargets, shopTypes } from '../shop.ts'
import { createMoments, nameOf, type OnMoment } from './moments.ts'

/** The assignment of a dying host. */
export interface Assignment {
  readonly databaseUrl: string
  /** Identifies the sessions of the host in PostgreSQL. */
  readonly applicationName: string
  readonly requests: readonly AssignedRequest[]
  /** The time of death: while all requests are stopped, or right after all requests resume. */
  readonly dies: 'standing still' | 'going on'
}

/** A request that stops at one of its moments. The first moment is 0. */
export interface AssignedRequest {
  readonly subject: string
  readonly path: string
  readonly key: string
  readonly body: unknown
  readonly stopAt: number
}

const assignment = JSON.parse(process.argv[2] ?? '') as Assignment
const moments = createMoments()
const host = await openTestHost({
  databaseUrl: assignment.databaseUrl,
  database: { applicationName: assignment.applicationName, poolMax: assignment.requests.length },
  modules: (database, outbox) => [
    createDocumentActions({
      database: moments.observe(database),
      outbox,
      config: { executionRetentionMs: 24 * 60 * 60 * 1_000 },
      types: shopTypes(),
      navigationTargets: shopTargets,
    }),
  ],
})

const kill = () => process.kill(process.pid, 'SIGKILL')
const goOn = Promise.withResolvers<void>()
let standingCount = 0

/** Stops the request. When the last request stops, ends the process or resumes all requests right before its end. */
async function standStill(): Promise<void> {
  standingCount += 1
  if (standingCount === assignment.requests.length) {
    if (assignment.dies === 'standing still') kill()
    goOn.resolve()
    // The driver sends in the next turn of the event loop. Die one turn later: commits are sent, no response is read.
    setImmediate(() => setImmediate(kill))
  }
  await goOn.promise
}

await Promise.all(
  assignment.requests.map(async ({ subject, path, key, body, stopAt }) => {
    const clerk = await host.as({ subject })
    const passed: string[] = []
    const onMoment: OnMoment = async (moment) => {
      passed.push(nameOf(moment))
      if (passed.length === stopAt + 1) await standStill()
    }
    const response = await moments.during(onMoment, () =>
      clerk('POST', path, { headers: { 'Idempotency-Key': key }, body }),
    )
    // A resumed request can finish before the kill. The error reports a request that never reached its moment.
    if (passed.length > stopAt) return
    throw new Error(`Answered ${response.status} after ${passed.length} moments, before moment ${stopAt}`)
  }),
)
