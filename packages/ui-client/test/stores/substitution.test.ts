import type { Substitution } from '@vertical-kit/ui-client'
import { substitutionStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { signIn } from '../signed-in.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** Opens the store of a clerk's substitute. The colleague must have signed in before the clerk can choose them. */
async function open() {
  const colleague = await signIn(host, 'clerk2')
  await colleague.client.workCenter.summary()
  const desk = await signIn(host, 'clerk')
  const store = substitutionStore(desk.session)
  await store.load()
  const userId =
    store.$state.get().users.find(({ displayName }) => displayName === 'Carl Clerk')?.userId ?? ''
  const now = Date.now()
  const choice: Substitution = {
    userId,
    fromUtc: new Date(now).toISOString(),
    untilUtc: new Date(now + 86_400_000).toISOString(),
  }
  return { ...desk, store, choice }
}

test('a change continues after the user has left the view', async () => {
  const { store, choice, client } = await open()
  const set = store.set(choice)
  store.dispose()
  const error = await set
  expect(await client.team.substitution.get()).toMatchObject({ userId: choice.userId })

  const later = (await open()).store
  const ended = later.end()
  later.dispose()
  const endError = await ended
  expect(await client.team.substitution.get()).toBeNull()
  expect([error, endError]).toEqual([null, null])
})

test('a failure is shown, and resolves also after the user has left the view', async () => {
  const { store, choice } = await open()
  const unknown = { ...choice, userId: crypto.randomUUID() }
  const error = await store.set(unknown)
  expect(error).toMatchObject({ code: 'work_center.recipient_not_eligible' })
  expect(store.$state.get()).toMatchObject({ status: 'ready', substitution: null, error })
  const set = store.set(unknown)
  store.dispose()
  expect(await set).toMatchObject({ code: 'work_center.recipient_not_eligible' })
  expect(store.$state.get()).toMatchObject({ status: 'loading', error: null })
})

test('a change ends with the session', async () => {
  const { store, choice, session, gate } = await open()
  const before = gate.sent.length
  const set = store.set(choice)
  session.close()
  expect(await set).toBeNull()
  expect(gate.sent).toHaveLength(before)
})
