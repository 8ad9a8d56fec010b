import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, openDeployment } from './deployment.ts'
import { hasEnded, openGreeted } from './greeted-client.ts'
import { connectAndGreet, end, nextVersion } from './raw-client.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await openDeployment()
})
afterAll(() => deployment.close())

test('the hub terminates a client when its unread data exceeds the limit, and keeps all other clients', async () => {
  const { replica, account, client } = await openGreeted(deployment)
  const other = await deployment.addAccount()
  const { client: reader } = await connectAndGreet(replica, await deployment.token(other))
  client.socket.pause()
  let version = 0
  while (replica.realtime.connectionCount === 2) {
    for (let index = 0; index < 200; index += 1) {
      version += 1
      replica.realtime.publish(new Map([[account.userId, version]]))
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  await hasEnded(replica, 'does not read')
  replica.realtime.publish(new Map([[other.userId, 1]]))
  expect(await nextVersion(reader)).toBe(1)
})

test('the hub terminates a client that sends calls without reading the responses', async () => {
  const { replica, client } = await openGreeted(deployment, { maxMessagesPerWindow: 1_000_000_000 })
  client.socket.pause()
  const call = `{"type":1,"target":"a","invocationId":"${'x'.repeat(120)}"}${end}`
  while (replica.realtime.connectionCount === 1) {
    if (client.socket.readyState === 1 && client.socket.bufferedAmount < 100_000) client.send(call.repeat(20))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await hasEnded(replica, 'does not read')
})
