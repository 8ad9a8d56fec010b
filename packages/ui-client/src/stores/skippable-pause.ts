import { wait } from '../client/wait.ts'
import type { KeepConnected } from './realtime-connection.ts'

/** Returns a function that pauses, and the function `skip`, which ends the current pause early. */
export function skippablePause(): { readonly pause: KeepConnected['pause']; skip(): void } {
  let skipping = new AbortController()
  return {
    async pause(ms, signal) {
      skipping = new AbortController()
      await wait(ms, AbortSignal.any([signal, skipping.signal])).catch(() => {})
    },
    skip: () => skipping.abort(),
  }
}
