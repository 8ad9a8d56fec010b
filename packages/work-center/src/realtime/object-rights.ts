import { isKitError } from '@vertical-kit/core-audit'
import type { Caller } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Db } from '@vertical-kit/core-audit/database'
import type { BusinessObjects } from '@vertical-kit/core-audit/objects'

/** A connection that can subscribe to objects. */
export interface ObjectSubscriber {
  /**
   * Returns the caller of the connection with current rights.
   * @throws {CoreError} auth.inactive
   */
  callerNow(): Promise<Caller>
  sendObject(reference: BusinessObjectReference, number: number): void
}

/** A subscription, or the request for one. */
export interface Subscription {
  readonly subscriber: ObjectSubscriber
  readonly reference: BusinessObjectReference
}

export type CallerOf = ReadonlyMap<ObjectSubscriber, Caller>

/** Loads the caller of each connection once. A caller whose account was refused is missing from the result. */
export async function loadSubscribers(subscriptions: readonly Subscription[]): Promise<CallerOf> {
  const subscribers = [...new Set(subscriptions.map(({ subscriber }) => subscriber))]
  const loaded = await Promise.allSettled(subscribers.map((subscriber) => subscriber.callerNow()))
  const callers = new Map<ObjectSubscriber, Caller>()
  for (const [index, subscriber] of subscribers.entries()) {
    const result = loaded[index] as PromiseSettledResult<Caller>
    if (result.status === 'fulfilled') callers.set(subscriber, result.value)
    else if (!isKitError(result.reason) || result.reason.status >= 500) throw result.reason
  }
  return callers
}

/** Returns the subscriptions whose callers may read the object. */
export async function allowedAmong<One extends Subscription>(
  db: Db,
  { areReadable }: Pick<BusinessObjects, 'areReadable'>,
  { subscriptions, callers }: { readonly subscriptions: readonly One[]; readonly callers: CallerOf },
): Promise<ReadonlySet<One>> {
  const attempts = subscriptions.flatMap((subscription) => {
    const caller = callers.get(subscription.subscriber)
    return caller === undefined ? [] : [{ subscription, caller, reference: subscription.reference }]
  })
  const answers = await areReadable(db, attempts)
  return new Set(attempts.flatMap(({ subscription }, index) => (answers[index] ? [subscription] : [])))
}
