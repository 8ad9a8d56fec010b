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

/** The callers of connections. A connection whose caller was refused is in neither map. */
export interface Subscribers {
  readonly callers: CallerOf
  /** The errors of connections whose rights could not be read, so they are unknown. */
  readonly failures: ReadonlyMap<ObjectSubscriber, unknown>
}

/** Loads the caller of each connection once. A failure does not affect the other connections. */
export async function loadSubscribers(subscriptions: readonly Subscription[]): Promise<Subscribers> {
  const subscribers = [...new Set(subscriptions.map(({ subscriber }) => subscriber))]
  const loaded = await Promise.allSettled(subscribers.map((subscriber) => subscriber.callerNow()))
  const callers = new Map<ObjectSubscriber, Caller>()
  const failures = new Map<ObjectSubscriber, unknown>()
  for (const [index, subscriber] of subscribers.entries()) {
    const result = loaded[index] as PromiseSettledResult<Caller>
    if (result.status === 'fulfilled') callers.set(subscriber, result.value)
    else if (!isRefusal(result.reason)) failures.set(subscriber, result.reason)
  }
  return { callers, failures }
}

/** Errors of the kit and of Hono have the status of their response. */
const isRefusal = (reason: unknown): boolean =>
  reason instanceof Error && 'status' in reason && typeof reason.status === 'number' && reason.status < 500

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
