import { createClient } from '@vertical-kit/ui-client'
import { openSession, teamTasksStore } from '@vertical-kit/ui-client/stores'
import { outboxStore } from '@vertical-kit/ui-client/stores/administration'
import { expect, onTestFinished, test, vi } from 'vitest'

test.each([
  ['the tasks of a team', teamTasksStore],
  ['the outbox', outboxStore],
])('the list of %s refreshes itself again after a failure', async (_name, open) => {
  vi.useFakeTimers()
  let isDown = true
  const client = createClient({
    accessToken: () => 'token',
    fetch: async () =>
      isDown
        ? Response.json({ code: 'internal' }, { status: 500 })
        : Response.json({ items: [], nextCursor: null, consumers: [] }),
  })
  const session = openSession({ client, userId: 'supervisor' })
  onTestFinished(() => {
    session.close()
    vi.useRealTimers()
  })
  const store = open(session)
  await store.load()
  expect(store.$list.get().status).toBe('failed')
  isDown = false
  await vi.advanceTimersByTimeAsync(15_000)
  expect(store.$list.get().status).toBe('ready')
})
