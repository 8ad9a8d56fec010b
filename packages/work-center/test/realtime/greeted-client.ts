import { expect } from 'vitest'
import type { Deployment, TestAccount } from './deployment.ts'
import { connectAndGreet, end, type RawClient } from './raw-client.ts'
import type { Replica, ReplicaOptions } from './replica.ts'

/** A replica, an account, and a client of this account that has received its first version. */
export interface Greeted {
  readonly replica: Replica
  readonly account: TestAccount
  readonly token: string
  readonly client: RawClient
}

/**
 * Opens a replica with this configuration and an account. Connects a client of this account and reads its first version.
 */
export async function openGreeted(
  deployment: Deployment,
  config: ReplicaOptions['config'] = {},
): Promise<Greeted> {
  const replica = await deployment.openReplica({ config })
  const account = await deployment.addAccount()
  const token = await deployment.token(account)
  const { client } = await connectAndGreet(replica, token)
  return { replica, account, token, client }
}

/** Waits until the hub has read everything that the client has sent so far. */
export async function untilRead(client: RawClient): Promise<void> {
  client.send(`{"type":1,"invocationId":"read","target":"a"}${end}`)
  expect(await client.next()).toMatchObject({ type: 3, invocationId: 'read' })
}

/** Wraps a client so that it skips pings. */
export function skipPings(client: RawClient): RawClient {
  const next = async (): Promise<unknown> => {
    const record = (await client.next()) as { type?: number }
    return record.type === 6 ? next() : record
  }
  return { ...client, next }
}

/** Waits until the replica has logged that a connection ended for this reason. */
export async function hasEnded({ logLines }: Replica, reason: string): Promise<void> {
  await expect
    .poll(() => logLines.some((line) => line.includes(`"reason":"${reason}"`)), {
      interval: 5,
      timeout: 10_000,
    })
    .toBe(true)
}
