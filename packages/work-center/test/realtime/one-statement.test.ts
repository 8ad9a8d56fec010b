import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { createLogger } from '@vertical-kit/core-audit/host'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccountCheck } from '../../src/realtime/account-check.ts'
import { createAnnouncer } from '../../src/realtime/announcer.ts'
import { createCatchUp } from '../../src/realtime/catch-up.ts'
import { listAccounts } from '../../src/realtime/queries/list-accounts.ts'
import { listVersions } from '../../src/realtime/queries/list-versions.ts'
import { createSubscribers } from '../../src/realtime/subscribers.ts'
import { type Deployment, openDeployment } from './deployment.ts'

let deployment: Deployment
let database: Database
beforeAll(async () => {
  deployment = await openDeployment()
  database = createDatabase({ ...databaseDefaults, url: deployment.databaseUrl })
})
afterAll(async () => {
  await database.close()
  await deployment.close()
})

const logger = createLogger({ level: 'silent' })
const announcer = createAnnouncer({ quietMs: 0, now: Date.now })

async function manyUsers(count: number) {
  const subscribers = createSubscribers()
  const accounts = await Promise.all(Array.from({ length: count }, () => deployment.addAccount()))
  for (const { subject, userId } of accounts) subscribers.join(subject, userId)
  return { subscribers, accounts }
}

test('one statement reads the versions of all users that connect during an earlier read', async () => {
  const { subscribers, accounts } = await manyUsers(50)
  for (const [index, account] of accounts.entries()) await deployment.commitVersion(account, index + 1)
  const counts: number[] = []
  const done = Promise.withResolvers<void>()
  const catchUp = createCatchUp({
    ...{ database, announcer, logger },
    async versionsOf(db, userIds) {
      const versions = await listVersions(db, userIds)
      counts.push(userIds.length)
      if (counts.length === 2) done.resolve()
      return versions
    },
  })
  for (const user of subscribers.users) catchUp.request([user, user])
  await done.promise
  expect(counts).toEqual([1, 49])
  await expect
    .poll(() => subscribers.users.map(({ version }) => version), { interval: 5 })
    .toEqual(accounts.map((_, index) => index + 1))
})

test('the next request retries a failed read of versions', async () => {
  const { subscribers, accounts } = await manyUsers(1)
  await deployment.commitVersion(accounts[0] as never, 3)
  const refused = Promise.withResolvers<void>()
  let count = 0
  const catchUp = createCatchUp({
    ...{ database, announcer, logger },
    async versionsOf(db, userIds) {
      count += 1
      if (count > 1) return listVersions(db, userIds)
      refused.resolve()
      throw new Error('database unavailable')
    },
  })
  catchUp.request(subscribers.users)
  await refused.promise
  expect(subscribers.users[0]?.version).toBe(-1)
  catchUp.request(subscribers.users)
  await expect.poll(() => subscribers.users[0]?.version, { interval: 5 }).toBe(3)
})

test('one statement checks the accounts of all connected users, and no statement runs without connected users', async () => {
  const { subscribers } = await manyUsers(50)
  const counts: number[] = []
  const check = (of: typeof subscribers) =>
    createAccountCheck({
      ...{ database, subscribers: of, onRecognised: () => {} },
      accountsOf(db, subjects) {
        counts.push(subjects.length)
        return listAccounts(db, subjects)
      },
    })()
  await check(subscribers)
  await check(createSubscribers())
  expect(counts).toEqual([50])
})
