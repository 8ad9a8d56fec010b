import { newId } from '@vertical-kit/core-audit'
import { holdTransaction, untilBlocked } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reserveUpload } from '../../src/commands/reserve-upload.ts'
import {
  type AttachmentsHost,
  allPermissions,
  hello,
  newTarget,
  openAttachmentsHost,
  openStore,
  refusalOf,
  reserve,
} from '../harness.ts'

let store: Awaited<ReturnType<typeof openStore>>
let host: AttachmentsHost

beforeAll(async () => {
  store = await openStore()
  host = await openAttachmentsHost({ store, environment: { Attachments__MaxActivePerObject: '5' } })
})
afterAll(async () => {
  await host.close()
  await store.close()
})

test('if an object accepts one more attachment, exactly one of 200 concurrent reservations succeeds', async () => {
  const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  const target = newTarget()
  for (let taken = 0; taken < 4; taken += 1) await reserve(clerk, { target })
  const body = { target, ...hello }
  const responses = await Promise.all(
    Array.from({ length: 200 }, () => clerk('POST', '/api/attachments/uploads', { body })),
  )
  const codes = await Promise.all(
    responses.map(async (response) => {
      const { code } = (await response.json()) as { code?: string }
      return code ?? response.status
    }),
  )
  expect(codes.filter((code) => code === 201)).toHaveLength(1)
  expect(codes.filter((code) => code === 'attachments.count_limit_exceeded')).toHaveLength(199)
})

test('the last reservation of an object waits for another one that has not committed, and is then refused', async () => {
  const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
  const target = newTarget()
  for (let taken = 0; taken < 4; taken += 1) await reserve(clerk, { target })
  const actor = { userId: newId(), displayName: 'Dora', correlationId: 'held' }
  const held = await holdTransaction(host.database, (tx) =>
    reserveUpload(tx, host.config, { ...hello, id: newId(), target, actor }),
  )
  const answer = clerk('POST', '/api/attachments/uploads', { body: { target, ...hello } })
  await untilBlocked(host.database)
  await held.commit()
  expect(await refusalOf(await answer)).toMatchObject({ code: 'attachments.count_limit_exceeded' })
})
