// A host that dies: `node --conditions=@vertical-kit/source dying-host.ts '<an Assignment as JSON>'`. It lets every
// request get as far as its own moment, and then kills its own process, with all of them under way.

import { openTestHost } from '@vertical-kit/core-audit/testing'
import { createDocumentActions } from '@vertical-kit/document-actions'
import { shopTargets, shopTypes } from '../shop.ts'
import { createMoments, nameOf, type OnMoment } from './moments.ts'

/** What a dying host is to do. */
export interface Assignment {
  readonly databaseUrl: string
  /** By which the server knows its sessions. */
  readonly applicationName: string
  readonly requests: readonly AssignedRequest[]
  /** Dies with every request standing still; or lets them all go on, and dies at once. */
  readonly dies: 'standing still' | 'going on'
}

/** A request that stops at one of its moments, counted from 0. */
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

/** Whoever stands still last brings the end. */
async function standStill(): Promise<void> {
  standingCount += 1
  if (standingCount === assignment.requests.length) {
    if (assignment.dies === 'standing still') kill()
    goOn.resolve()
    // The driver writes in the next turn of the event loop: dies in the one after it, commits sent, no answer read.
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
    // Going on may be faster than dying. Otherwise the moment does not exist, and nobody would ever die.
    if (passed.length > stopAt) return
    throw new Error(`Answered ${response.status} after ${passed.length} moments, before moment ${stopAt}`)
  }),
)
