import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { checkModules, createLogger, startWorkers } from '@vertical-kit/core-audit/host'
import { openTestHost, type TestHost } from '@vertical-kit/core-audit/testing'
import type { FreshDatabase } from '@vertical-kit/dev-services'
import { createWorkCenter, on, type VersionChanges, type WorkCenter } from '@vertical-kit/work-center'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectPayment, definitions } from './definitions.ts'
import { administratorRoleCodes, config, event, outboxOf } from './desk.ts'
import { idsOf, openDatabase } from './harness.ts'
import { sourceOf, versions } from './items.ts'
import { addPerson, addRole, type Person, viewInvoices } from './people.ts'

let fresh: FreshDatabase
let host: TestHost
let workCenter: WorkCenter
let clerk: Person
let announced: (changes: VersionChanges) => void
beforeAll(async () => {
  fresh = await openDatabase()
  host = await openTestHost({
    databaseUrl: fresh.url,
    administratorRoleCodes,
    modules: (database, outbox) => {
      workCenter = createWorkCenter({
        ...{ database, outbox, config, definitions, identity: { administratorRoleCodes } },
        eventHandlers: [posted],
        announce: (changes) => announced(changes),
      })
      return [workCenter]
    },
  })
  await addRole(host.database, 'trade.clerk', [viewInvoices])
  clerk = await addPerson(host, ['trade.clerk'])
})
afterAll(async () => {
  await host.close()
  await fresh.drop()
})

const assignedTo = { roleCode: 'trade.clerk' }
const posted = on({ type: 'trade.posted', schema: v.object({ invoiceId: v.string() }) }, (inbox, { data }) =>
  inbox.createTask(collectPayment, {
    ...{ deduplicationKey: data.invoiceId, title: data.invoiceId, source: sourceOf(), assignedTo },
  }),
)
const nextAnnouncement = (): Promise<VersionChanges> =>
  new Promise((resolve) => {
    announced = resolve
  })

test('the module contains routes, migrations and workers, but not the worker that processes events', () => {
  const gathers = { contribution: 'auditSource', modules: [workCenter] } as const
  expect(() => checkModules([workCenter, { name: 'timeline', gathers }])).not.toThrow()
  expect(workCenter.workers?.map(({ name }) => name)).toEqual(['work-center.clock', 'work-center.retention'])
  expect(workCenter.health).toMatchObject([{ name: 'workCenterTasks' }])
  expect(host.outbox.processing).toMatchObject({
    workers: [{ name: 'outbox.work-center', intervalMs: 2_000 }],
    health: [{ name: 'workCenterOutbox' }],
  })
})

test('an event reaches its user and the open pages of this user without waiting for the next poll', async () => {
  const idle = Promise.withResolvers<void>()
  const [processing] = host.outbox.processing.workers ?? []
  if (processing === undefined) throw new Error('The Work Center registered no consumer')
  // The next poll is far in the future, so only the commit can start the processing.
  const worker = {
    ...processing,
    intervalMs: 2 ** 31 - 1,
    async runOnce(...cycle: Parameters<typeof processing.runOnce>) {
      await processing.runOnce(...cycle)
      idle.resolve()
    },
  }
  const running = startWorkers([worker, ...(workCenter.workers ?? [])], createLogger({ level: 'fatal' }))
  await idle.promise
  const announcement = nextAnnouncement()
  await host.database.transaction((tx) =>
    host.outbox.append(tx, event({ type: 'trade.posted', data: { invoiceId: 'SI-1' } })),
  )
  expect(await announcement).toEqual(new Map([[clerk.userId, 1]]))
  expect(await idsOf(clerk.request)).toHaveLength(1)
  await running.stop()
})

test('a vertical can write without an event', async () => {
  const announcement = nextAnnouncement()
  const before = await versions(host.database)
  await workCenter.write(async (inbox) => inbox.completeTask(collectPayment, 'SI-1'))
  expect(await announcement).toEqual(new Map([[clerk.userId, (before.get(clerk.userId) ?? 0) + 1]]))
  expect(await idsOf(clerk.request)).toEqual([])
  expect(await idsOf(clerk.request, 'tab=completed')).toHaveLength(1)
})

test('the module works without an announce function', async () => {
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  const { write } = createWorkCenter({
    ...{ database, outbox: outboxOf(database), config, definitions, eventHandlers: [] },
    identity: { administratorRoleCodes },
  })
  await write(async (inbox) =>
    inbox.createTask(collectPayment, {
      deduplicationKey: 'SI-2',
      title: 'SI-2',
      source: sourceOf(),
      assignedTo,
    }),
  )
  await database.close()
  expect(await idsOf(clerk.request)).toHaveLength(1)
})
