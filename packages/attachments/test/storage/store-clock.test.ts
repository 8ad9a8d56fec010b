import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { captureLog } from '@vertical-kit/core-audit/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createStoreClock } from '../../src/storage/store-clock.ts'
import {
  allPermissions,
  attach,
  downloadedText,
  openAttachmentsHost,
  openStore,
  reserve,
} from '../harness.ts'

const never = new AbortController().signal

const clockOf = (endpoint: string) => {
  const log = captureLog()
  const clock = createStoreClock({ endpoint, now: Date.now })
  return {
    log,
    clock,
    cycle: () => clock.worker.runOnce(never, log.logger),
    report: () => clock.health.check(never),
  }
}

/** Starts a server that answers with these headers and no other date. */
async function openServer(headers: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer((_request, response) => {
    response.sendDate = false
    response.writeHead(403, headers).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['ahead of', 1_200_000],
  ['behind', -1_200_000],
])(
  'uploads and downloads work if the clock of the store is 20 minutes %s the database',
  async (word, shiftMs) => {
    const store = await openStore(shiftMs)
    const host = await openAttachmentsHost({ store })
    onTestFinished(async () => {
      await host.close()
      await store.close()
    })
    for (const worker of host.attachments.workers ?? []) await worker.runOnce(never)
    const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
    expect(await downloadedText(clerk, (await attach(clerk)).id)).toBe('hello')

    const { upload } = await reserve(clerk)
    const remainingMs = Date.parse(upload.expiresAtUtc) - Date.now()
    expect(remainingMs).toBeGreaterThan(540_000)
    expect(remainingMs).toBeLessThanOrEqual(600_000)

    const [health] = host.attachments.health ?? []
    expect(await health?.check(never)).toEqual({
      status: 'Degraded',
      detail: expect.stringMatching(
        new RegExp(`^The object store's clock is (1199|1200|1201) s ${word} the database's`),
      ),
    })
  },
)

test('signatures follow the store only if its clock is over five seconds off, and each change is logged once', async () => {
  let aheadMs = 0
  const server = createServer((_request, response) => {
    response
      .setHeader('Date', new Date(Date.now() + aheadMs).toUTCString())
      .writeHead(403)
      .end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { clock, cycle, report, log } = clockOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  for (const ms of [0, 3_000, 60_000, 60_000, -3_000, 0]) {
    aheadMs = ms
    await cycle()
    const isFollowed = Math.abs(ms) > 5_000
    expect((await report()).status).toBe(isFollowed ? 'Degraded' : 'Healthy')
    const followedMs = clock.now() - Date.now()
    if (isFollowed) expect(Math.abs(followedMs - ms)).toBeLessThan(5_000)
    else expect(followedMs).toBeLessThanOrEqual(0)
  }
  expect(log.entries.map(({ level, msg }) => [level, msg])).toEqual([
    ['warn', "The object store's clock differs from the database's clock."],
    ['info', "The object store's clock agrees with the database's clock again."],
  ])
})

test.each([
  ['has no date', {}],
  ['has an invalid date', { Date: 'yesterday' }],
])('a store whose response %s counts as healthy', async (_case, headers) => {
  const { cycle, report, log } = clockOf(await openServer(headers))
  await cycle()
  expect([await report(), log.entries]).toEqual([{ status: 'Healthy' }, []])
})

test.each([
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Sat, 13 Sep 275760 00:00:00 GMT',
])('signatures do not follow a store that has the date %s, and its clock is reported', async (date) => {
  const { clock, cycle, report } = clockOf(await openServer({ Date: date }))
  await cycle()
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5_000)
  expect(await report()).toMatchObject({ status: 'Degraded' })
})

test('an unreachable store changes nothing and fails no cycle', async () => {
  const { cycle, report } = clockOf('http://127.0.0.1:1')
  await cycle()
  expect(await report()).toEqual({ status: 'Healthy' })
})
