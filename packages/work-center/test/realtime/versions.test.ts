import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { connectAndGreet, nextVersion } from './raw-client.ts'
import type { Replica } from './replica.ts'

let deployment: Deployment
let replica: Replica
beforeAll(async () => {
  deployment = await openDeployment()
  replica = await deployment.openReplica()
})
afterAll(() => deployment.close())

test('whoever connects is told the version as committed, and each one that follows', async () => {
  const account = await deployment.addAccount()
  await deployment.commitVersion(account, 7)
  const { client, version } = await connectAndGreet(replica, await deployment.token(account))
  expect(version).toBe(7)
  replica.realtime.publish(new Map([[account.userId, 8]]))
  expect(await nextVersion(client)).toBe(8)
})
