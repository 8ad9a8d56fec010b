import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { BusinessObjects } from '@vertical-kit/core-audit/objects'
import { captureLog, testCaller } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createLiveObjects } from '../../src/realtime/live-objects.ts'
import { keyOf } from '../../src/realtime/object-key.ts'
import type { ObjectSubscriber } from '../../src/realtime/object-rights.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { change, createPapers, type Papers } from './papers.ts'

let deployment: Deployment
let papers: Papers
/** Its writes are not announced: no hub follows it. */
let silent: Database
beforeAll(async () => {
  deployment = await openDeployment()
  papers = await createPapers(deployment)
  silent = createDatabase({ ...databaseDefaults, url: deployment.databaseUrl })
})
afterAll(async () => {
  await silent.close()
  await deployment.close()
})

type AreReadable = BusinessObjects['areReadable']

/** Opens the subscriptions of a replica with one page, which receives the ids of changed objects. */
function openPage(options: { areReadable?: AreReadable; clockAheadMs?: () => number } = {}) {
  const { areReadable = papers.businessObjects.areReadable, clockAheadMs = () => 0 } = options
  const received: string[] = []
  const page: ObjectSubscriber = {
    callerNow: async () => testCaller(),
    sendObject: ({ id }: BusinessObjectReference) => void received.push(id),
  }
  const clock = { ...silent.clock, now: () => silent.clock.now() + clockAheadMs() }
  const liveObjects = createLiveObjects({
    ...{ quietMs: 0, now: Date.now, logger: captureLog('warn').logger, businessObjects: { areReadable } },
    database: { ...silent, clock },
  })
  onTestFinished(() => liveObjects.stop())
  return { liveObjects, page, received }
}

/** Answers with each of these functions once, and then as usual. */
const answering = (...answers: readonly AreReadable[]): AreReadable => {
  const left = [...answers]
  return (...question) => (left.shift() ?? papers.businessObjects.areReadable)(...question)
}

describe('events that leave the time of the comparison', () => {
  /** The events until now are older than five minutes when the clock is ahead by five. */
  const fiveMinutes = 300_000

  test('hide no later change', async () => {
    const paper = await papers.add()
    let aheadMs = 0
    const { liveObjects, page, received } = openPage({ clockAheadMs: () => aheadMs })
    await change(silent, paper)
    await liveObjects.subscribe(page, paper)
    aheadMs = fiveMinutes + 1
    await liveObjects.check()
    await change(silent, paper)
    await liveObjects.check()
    expect(received).toEqual([paper.id])
  })

  test('hide no later change of another object than the one that a page asks for', async () => {
    const [paper, other] = [await papers.add(), await papers.add()]
    let aheadMs = 0
    const { liveObjects, page, received } = openPage({ clockAheadMs: () => aheadMs })
    await change(silent, paper)
    await liveObjects.subscribe(page, paper)
    aheadMs = fiveMinutes + 1
    await liveObjects.subscribe(page, other)
    await change(silent, paper)
    await liveObjects.check()
    expect(received).toEqual([paper.id])
  })
})

test('a page that unsubscribes or leaves before the answer receives no change', async () => {
  const paper = await papers.add()
  for (const end of ['unsubscribe', 'leave'] as const) {
    const { liveObjects, page, received } = openPage()
    const answer = liveObjects.subscribe(page, paper)
    liveObjects[end](page, paper)
    expect(await answer).toBe(false)
    liveObjects.changed(new Set([keyOf(paper)]))
    expect(received).toEqual([])
  }
})

test('a page stays subscribed if it asks again, and its second request fails', async () => {
  const paper = await papers.add()
  const fails: AreReadable = async () => {
    throw new Error('The second request fails')
  }
  const areReadable = answering(papers.businessObjects.areReadable, fails)
  const { liveObjects, page, received } = openPage({ areReadable })
  expect(await liveObjects.subscribe(page, paper)).toBe(true)
  await expect(liveObjects.subscribe(page, paper)).rejects.toThrow('The second request fails')
  liveObjects.changed(new Set([keyOf(paper)]))
  expect(received).toEqual([paper.id])
})

test('if a check ends a subscription while its page asks again, the later answer decides', async () => {
  const paper = await papers.add()
  let again: Promise<boolean> | undefined
  const refuses: AreReadable = async () => {
    again = liveObjects.subscribe(page, paper)
    return [false]
  }
  const areReadable = answering(papers.businessObjects.areReadable, refuses)
  const { liveObjects, page, received } = openPage({ areReadable })
  await liveObjects.subscribe(page, paper)
  await liveObjects.check()
  expect(await again).toBe(true)
  liveObjects.changed(new Set([keyOf(paper)]))
  expect(received).toEqual([paper.id])
})
