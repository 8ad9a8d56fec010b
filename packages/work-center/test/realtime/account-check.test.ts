import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccountCheck } from '../../src/realtime/account-check.ts'
import type { Connection } from '../../src/realtime/connection.ts'
import { listAccounts } from '../../src/realtime/queries/list-accounts.ts'
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

test('a connected user is reported once when their user record appears', async () => {
  const subscribers = createSubscribers()
  const account = await deployment.addAccount()
  const known = await deployment.addAccount()
  const newcomer = subscribers.join(account.subject, null)
  subscribers.join(known.subject, known.userId)
  subscribers.join('unknown', null)
  const recognised: unknown[] = []
  const check = createAccountCheck({
    ...{ database, accountsOf: listAccounts, subscribers },
    onRecognised: (user) => recognised.push(user),
  })
  await check()
  await check()
  expect(recognised).toEqual([newcomer])
  expect(newcomer.userId).toBe(account.userId)
  expect(subscribers.withId(account.userId)).toBe(newcomer)
})

test('one check closes all connections of a deactivated account, and no connections of other accounts', async () => {
  const subscribers = createSubscribers()
  const [gone, stays] = [await deployment.addAccount(), await deployment.addAccount()]
  const ended: string[] = []
  for (const [name, { subject, userId }] of [
    ['one', gone],
    ['two', gone],
    ['other', stays],
  ] as const) {
    const connection: Connection = {
      ...{ send: () => {}, sendObject: () => {}, sweep: () => {}, terminate: () => {} },
      end: (ending) => ended.push(`${name} ${ending}`),
    }
    subscribers.add(subscribers.join(subject, userId), connection)
  }
  await deployment.deactivate(gone)
  await createAccountCheck({ database, accountsOf: listAccounts, subscribers, onRecognised: () => {} })()
  expect(ended).toEqual(['one inactive', 'two inactive'])
})
