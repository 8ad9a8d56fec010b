import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMoments, nameOf } from '../crash/moments.ts'
import { allPermissions, execute, executed, openShopHost, type ShopHost } from '../harness.ts'
import { type Answer, answerOf, inProgress, replayOf } from './answers.ts'
import { effectsOf } from './effects.ts'

const moments = createMoments()
let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost({ observe: moments.observe })
  clerk = await host.as({ subject: 'Clara Clerk', permissions: allPermissions })
})
afterAll(() => host.close())

const scenarios = [
  { actionCode: 'post', typeCode: 'shop.invoice', expectedVersion: 1 },
  { actionCode: 'shop.create_invoice', typeCode: 'shop.order', expectedVersion: 2 },
] as const

/** Creates a document on which the action is available, and a function that requests it with a new key. */
async function prepare({ actionCode, typeCode, expectedVersion }: (typeof scenarios)[number]) {
  const document = await host.addDocument(typeCode)
  if (expectedVersion > 1) await executed(clerk, document, 'post')
  const call = { key: newId(), expectedVersion }
  return { document, ask: async () => answerOf(await execute(clerk, document, actionCode, call)) }
}

test.each(scenarios)(
  'if two $actionCode requests share a key, the first to claim it is executed',
  async (scenario) => {
    const names: string[] = []
    const rehearsed = await prepare(scenario)
    await moments.during(async (moment) => void names.push(nameOf(moment)), rehearsed.ask)
    const after = await effectsOf(host.database, rehearsed.document)
    const keyClaimedAt = names.findIndex((name) => name.startsWith('after select pg_try_advisory_xact_lock'))
    const committedAt = names.indexOf('after commit')
    expect(keyClaimedAt).toBeGreaterThan(0)
    expect(committedAt).toBe(names.length - 1)

    for (const [stopAt, name] of names.entries()) {
      const { document, ask } = await prepare(scenario)
      let passedCount = 0
      let overtaking: Answer | undefined
      const asked = await moments.during(async () => {
        passedCount += 1
        if (passedCount === stopAt + 1) overtaking = await moments.during(async () => {}, ask)
      }, ask)
      const executedAnswer = stopAt < keyClaimedAt ? overtaking : asked
      expect({ name, ...executedAnswer }).toMatchObject({ name, status: 200, isReplay: false })
      const replay = replayOf(executedAnswer as Answer)
      if (stopAt < keyClaimedAt) expect({ name, ...asked }).toEqual({ name, ...replay })
      else if (stopAt < committedAt) expect({ name, ...overtaking }).toMatchObject({ name, ...inProgress })
      else expect({ name, ...overtaking }).toEqual({ name, ...replay })
      expect(await ask()).toEqual(replay)
      expect({ name, stored: await effectsOf(host.database, document) }).toEqual({ name, stored: after })
    }
  },
)
