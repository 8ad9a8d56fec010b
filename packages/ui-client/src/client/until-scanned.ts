import type { Attachment } from '../wire/attachments.ts'
import { isTransient } from './retry.ts'

/** Delay before the first repetition, which then doubles up to the maximum. A scan usually takes seconds. */
const firstDelayMs = 1_000
const maxDelayMs = 30_000

/**
 * Repeats the completion of an upload until the service has scanned the file. Resolves with the attachment. Temporary failures,
 * for example without a network, only lead to another repetition, after `Retry-After` if it exceeds the delay.
 *
 * @param complete sends the completion
 * @param wait rejects if nobody waits for the scan anymore
 * @throws {KitError} attachments.quarantined, or another failure that is not temporary; the reason of `wait` or `complete`
 */
export async function untilScanned(
  complete: () => Promise<Attachment>,
  wait: (ms: number) => Promise<void>,
): Promise<Attachment> {
  let retryAfterMs = 0
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    await wait(Math.max(delayMs, retryAfterMs))
    retryAfterMs = 0
    try {
      const attachment = await complete()
      if (attachment.status !== 'scanning') return attachment
    } catch (error) {
      if (!isTransient(error)) throw error
      retryAfterMs = error.retryAfterMs ?? 0
    }
  }
}
