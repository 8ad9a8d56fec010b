import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { answerOf, replayOf } from '../races/answers.ts'
import { effectsOf } from '../races/effects.ts'
import type { Assignment } from './dying-host.ts'
import { createMoments, nameOf } from './moments.ts'
import { runDyingHost } from './run-dying-host.ts'

const moments = createMoments()
const subject = 'Carl Clerk'
let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost({ observe: moments.observe })
  clerk = await host.as({ subject, permissions: allPermissions })
  await host.database.statement((tx) =>
    tx.execute(sql`select core_audit.register_outbox_consumer('bookkeeper')`),
  )
})
afterAll(() => host.close())

/** An action with a document on which it is available. */
interface Scenario {
  readonly actionCode: string
  readonly typeCode: string
  readonly body: { readonly expectedVersion: number; readonly reason?: string }
}

const scenarios: readonly Scenario[] = [
  { actionCode: 'post', typeCode: 'shop.invoice', body: { expectedVersion: 1 } },
  { actionCode: 'repost', typeCode: 'shop.invoice', body: { expectedVersion: 2 } },
  {
    actionCode: 'shop.write_off',
    typeCode: 'shop.invoice',
    body: { expectedVersion: 2, reason: 'Cannot be collected' },
  },
  { actionCode: 'shop.create_invoice', typeCode: 'shop.order', body: { expectedVersion: 2 } },
]

async function prepare({ typeCode, body }: Scenario): Promise<StoredDocument> {
  const document = await host.addDocument(typeCode)
  if (body.expectedVersion > 1) await executed(clerk, document, 'post')
  return document
}

/** Executes an action without faults. Returns its moments and the stored effects before and after. */
async function rehearse(scenario: Scenario) {
  const document = await prepare(scenario)
  const before = await effectsOf(host.database, document)
  const names: string[] = []
  await moments.during(
    async (moment) => void names.push(nameOf(moment)),
    () => executed(clerk, document, scenario.actionCode, scenario.body),
  )
  return { names, before, after: await effectsOf(host.database, document) }
}

/** Prepares one request per stop, each with a separate document and key. */
async function assign(scenario: Scenario, stops: readonly number[], dies: Assignment['dies']) {
  const { actionCode, body } = scenario
  const requests = await Promise.all(
    stops.map(async (stopAt) => {
      const document = await prepare(scenario)
      const path = `/api/documents/${document.typeCode}/${document.id}/actions/${actionCode}`
      return { document, subject, path, key: newId(), body, stopAt }
    }),
  )
  const assignment = {
    databaseUrl: host.databaseUrl,
    applicationName: `dying ${newId()}`,
    requests: requests.map(({ document: _, ...request }) => request),
    dies,
  }
  return { requests, assignment }
}

test.each(scenarios)('$actionCode takes effect once, whenever its host is killed', async (scenario) => {
  const { actionCode, body } = scenario
  const { names, before, after } = await rehearse(scenario)
  expect(names.slice(0, 1)).toEqual([expect.stringMatching(/^before select /)])
  expect(names.slice(-2)).toEqual(['before commit', 'after commit'])
  expect(after).toMatchObject({
    version: body.expectedVersion + 1,
    auditEvents: body.expectedVersion,
    outboxEvents: body.expectedVersion,
    deliveries: body.expectedVersion,
    executions: body.expectedVersion,
    derivations: actionCode === 'shop.create_invoice' ? 1 : 0,
    createdDocuments: actionCode === 'shop.create_invoice' ? 1 : 0,
  })

  const { requests, assignment } = await assign(scenario, [...names.keys()], 'standing still')
  await runDyingHost(host.database, assignment)

  for (const { document, key, stopAt } of requests) {
    const moment = names[stopAt]
    const isCommitted = moment === 'after commit'
    expect({ moment, stored: await effectsOf(host.database, document) }).toEqual({
      moment,
      stored: isCommitted ? after : before,
    })
    const retry = await answerOf(await execute(clerk, document, actionCode, { ...body, key }))
    expect({ moment, ...retry }).toMatchObject({ moment, status: 200, isReplay: isCommitted })
    const repeat = await answerOf(await execute(clerk, document, actionCode, { ...body, key }))
    expect({ moment, ...repeat }).toEqual({ moment, ...replayOf(retry) })
    expect({ moment, stored: await effectsOf(host.database, document) }).toEqual({ moment, stored: after })
  }
})

const onceEach = scenarios.filter(({ actionCode }) => ['post', 'shop.create_invoice'].includes(actionCode))

test.each(onceEach)(
  '$actionCode takes effect once if its host is killed during the commit',
  async (scenario) => {
    const { actionCode, body } = scenario
    const { names, before, after } = await rehearse(scenario)
    const stops = Array.from({ length: 6 }, () => names.indexOf('before commit'))
    const { requests, assignment } = await assign(scenario, stops, 'going on')
    await runDyingHost(host.database, assignment)

    for (const { document, key } of requests) {
      // PostgreSQL may have committed or not. The retry must match the stored state.
      const stored = await effectsOf(host.database, document)
      expect([before, after]).toContainEqual(stored)
      const isCommitted = stored?.version === after?.version
      const retry = await answerOf(await execute(clerk, document, actionCode, { ...body, key }))
      expect(retry).toMatchObject({ status: 200, isReplay: isCommitted })
      expect(await effectsOf(host.database, document)).toEqual(after)
    }
  },
)
