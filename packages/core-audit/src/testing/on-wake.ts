import type { Outbox } from '../outbox/outbox.ts'

/**
 * Calls `act` each time the outbox wakes the consumers of this process. That happens after a commit that appended events,
 * when other transactions can read them. Call this function only once for each host: it adds a consumer, `test-wake`, that
 * never runs.
 */
export function onWake(outbox: Outbox, act: () => void): void {
  const { worker } = outbox.consume({ name: 'test-wake', healthName: 'test-wake', handle: async () => {} })
  const listen = (): void => {
    worker.bell?.listen(() => {
      act()
      listen()
    })
  }
  listen()
}
