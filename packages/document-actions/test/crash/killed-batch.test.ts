import { newId } from '@vertical-kit/core-audit'
import type { TestRequest } from '@vertical-kit/core-audit/testing'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allPermissions, batchResults, openShopHost, outcomesOf, type ShopHost } from '../harness.ts'
import { effectsOf, noEffects, onePosting } from '../races/effects.ts'
import { createMoments, nameOf } from './moments.ts'
import { runDyingHost } from './run-dying-host.ts'

const moments = createMoments()
const subject = 'Carl Clerk'
let host: ShopHost
let clerk: TestRequest
beforeAll(async () => {
  host = await openShopHost({ observe: moments.observe })
  clerk = await host.as({ subject, permissions: allPermissions })
})
afterAll(() => host.close())

const addTwo = (): Promise<StoredDocument[]> => Promise.all([host.addDocument(), host.addDocument()])
const entriesOf = (documents: readonly StoredDocument[]) =>
  documents.map(({ id }) => ({ id, expectedVersion: 1 }))
const effectsOfAll = (documents: readonly StoredDocument[]) =>
  Promise.all(documents.map((document) => effectsOf(host.database, document)))

/** Posts two invoices with a batch. Returns the moments of the batch. */
async function rehearse(): Promise<readonly string[]> {
  const names: string[] = []
  const documents = await addTwo()
  await moments.during(
    async (moment) => void names.push(nameOf(moment)),
    () => batchResults(clerk, entriesOf(documents), 'post'),
  )
  expect(await effectsOfAll(documents)).toEqual([onePosting, onePosting])
  return names
}

test('a batch whose host is killed posts each document once, after a repeat', async () => {
  const names = await rehearse()
  const commits = [...names.keys()].filter((at) => names[at] === 'after commit')
  expect(commits).toEqual([expect.any(Number), names.length - 1])
  // From the commit of the first document to the end. The moments before it are those of a single execution.
  const stops = [...names.keys()].slice((commits[0] ?? 0) - 1)
  const requests = await Promise.all(
    stops.map(async (stopAt) => {
      const documents = await addTwo()
      const body = { items: entriesOf(documents), reason: null }
      return {
        documents,
        subject,
        path: '/api/documents/shop.invoice/actions/post/batch',
        key: newId(),
        body,
        stopAt,
      }
    }),
  )
  await runDyingHost(host.database, {
    databaseUrl: host.databaseUrl,
    applicationName: `dying ${newId()}`,
    requests: requests.map(({ documents: _, ...request }) => request),
    dies: 'standing still',
  })

  for (const { documents, key, stopAt } of requests) {
    const moment = names[stopAt]
    const committedCount = commits.filter((at) => at <= stopAt).length
    expect({ moment, stored: await effectsOfAll(documents) }).toEqual({
      moment,
      stored: [committedCount > 0 ? onePosting : noEffects, committedCount > 1 ? onePosting : noEffects],
    })
    const repeated = await batchResults(clerk, entriesOf(documents), 'post', { key })
    expect({ moment, outcomes: outcomesOf(repeated) }).toEqual({ moment, outcomes: ['200', '200'] })
    expect({ moment, stored: await effectsOfAll(documents) }).toEqual({
      moment,
      stored: [onePosting, onePosting],
    })
  }
})
