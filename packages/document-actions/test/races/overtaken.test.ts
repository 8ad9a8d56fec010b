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

/** A document that is ready for the action, and how to ask for it with a key of its own. */
async function prepare({ actionCode, typeCode, expectedVersion }: (typeof scenarios)[number]) {
  const document = await host.addDocument(typeCode)
  if (expectedVersion > 1) await executed(clerk, document, 'post')
  const call = { key: newId(), expectedVersion }
  return { document, ask: async () => answerOf(await execute(clerk, document, actionCode, call)) }
}

test.each(scenarios)(
  'of two requests for $actionCode with one key, the one that takes the key first executes it',
  async (scenario) => {
    const names: string[] = []
    const rehearsed = await prepare(scenario)
    await moments.during(async (moment) => void names.push(nameOf(moment)), rehearsed.ask)
    const after = await effectsOf(host.database, rehearsed.document)
    const keyTakenAt = names.findIndex((name) => name.startsWith('after select pg_try_advisory_xact_lock'))
    const committedAt = names.indexOf('after commit')
    expect(keyTakenAt).toBeGreaterThan(0)
    expect(committedAt).toBe(names.length - 1)

    for (const [stopAt, name] of names.entries()) {
      const { document, ask } = await prepare(scenario)
      let passedCount = 0
      let meanwhile: Answer | undefined
      const asked = await moments.during(async () => {
        passedCount += 1
        if (passedCount === stopAt + 1) meanwhile = await moments.during(async () => {}, ask)
      }, ask)
      const executedAnswer = stopAt < keyTakenAt ? meanwhile : asked
      expect({ name, ...executedAnswer }).toMatchObject({ name, status: 200, isReplay: false })
      const replay = replayOf(executedAnswer as Answer)
      if (stopAt < keyTakenAt) expect({ name, ...asked }).toEqual({ name, ...replay })
      else if (stopAt < committedAt) expect({ name, ...meanwhile }).toMatchObject({ name, ...inProgress })
      else expect({ name, ...meanwhile }).toEqual({ name, ...replay })
      expect(await ask()).toEqual(replay)
      expect({ name, stored: await effectsOf(host.database, document) }).toEqual({ name, stored: after })
    }
  },
)
