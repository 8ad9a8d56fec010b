import * as v from 'valibot'
import type { HubMethod } from './connection.ts'
import { Subscription } from './contract.ts'
import type { LiveObjects } from './live-objects.ts'
import type { ObjectSubscriber } from './object-rights.ts'

/**
 * Returns the hub's methods `subscribe` and `unsubscribe` for one connection. Malformed arguments, unsupported types, missing
 * and hidden objects have the same result, so that it reveals nothing.
 */
export function objectMethods(
  liveObjects: LiveObjects | undefined,
  subscriber: ObjectSubscriber,
): Readonly<Record<string, HubMethod>> {
  return {
    async subscribe(args) {
      const reference = v.safeParse(Subscription, args)
      if (!reference.success || liveObjects === undefined) return false
      return liveObjects.subscribe(subscriber, reference.output)
    },
    async unsubscribe(args) {
      const reference = v.safeParse(Subscription, args)
      if (reference.success) liveObjects?.unsubscribe(subscriber, reference.output)
    },
  }
}
