import { expect, onTestFinished, test } from 'vitest'
import {
  type AttachmentsHost,
  type AttachmentsHostOptions,
  allPermissions,
  attach,
  openAttachmentsHost,
  openStore,
} from './harness.ts'

async function open(databaseUrl?: string): Promise<AttachmentsHost> {
  const store = await openStore()
  onTestFinished(() => store.close())
  const options: AttachmentsHostOptions = { store, ...(databaseUrl !== undefined && { databaseUrl }) }
  const host = await openAttachmentsHost(options)
  onTestFinished(() => host.close())
  return host
}

async function finding({ attachments }: AttachmentsHost) {
  const checks = (await attachments.doctor?.()) ?? []
  const signal = AbortSignal.timeout(10_000)
  const context = { origins: [], token: undefined, replicaCount: 1, now: Date.now, signal }
  return checks.find(({ name }) => name === 'store.newest_file')?.run(context)
}

test('the doctor finds the newest file in the bucket, and notices the bucket of another database', async () => {
  const host = await open()
  expect(await finding(host)).toEqual({ status: 'ok', message: 'The database has no file yet.' })
  const user = await host.as({ subject: 'clerk', permissions: allPermissions })
  await attach(user)
  expect(await finding(host)).toMatchObject({ status: 'ok' })
  expect(await finding(await open(host.databaseUrl))).toMatchObject({
    status: 'failed',
    change: expect.stringContaining('Attachments__Storage__Bucket'),
  })
})
