import { createClient } from '@vertical-kit/ui-client'
import { openSession, teamTasksStore } from '@vertical-kit/ui-client/stores'
import { outboxStore } from '@vertical-kit/ui-client/stores/administration'
import { expect, onTestFinished, test, vi } from 'vitest'

const stores = [
  ['the tasks of a team', teamTasksStore],
  ['the outbox', outboxStore],
] as const
const cases = stores.flatMap(([name, open]) =>
  (['failed', 'moreFailed'] as const).map((failed) => ({ name, open, failed })),
)

test.each(cases)(
  'the list of $name refreshes itself again after it was $failed',
  async ({ open, failed }) => {
    vi.useFakeTimers()
    let isDown = failed === 'failed'
    const client = createClient({
      accessToken: () => 'token',
      fetch: async () =>
        isDown
          ? Response.json({ code: 'internal' }, { status: 500 })
          : Response.json({ items: [], nextCursor: 'next', consumers: [] }),
    })
    const session = openSession({ client, userId: 'supervisor' })
    onTestFinished(() => {
      session.close()
      vi.useRealTimers()
    })
    const store = open(session)
    await store.load()
    isDown = true
    if (failed === 'moreFailed') await store.loadMore()
    expect(store.$list.get().status).toBe(failed)
    isDown = false
    await vi.advanceTimersByTimeAsync(15_000)
    expect(store.$list.get().status).toBe('ready')
  },
)
