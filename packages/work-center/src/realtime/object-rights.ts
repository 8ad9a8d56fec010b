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

/** The callers of connections, or the reason why they could not be loaded. */
export type CallerOf = ReadonlyMap<ObjectSubscriber, PromiseSettledResult<Caller>>

/**
 * The maximum time in which all callers load. It is longer than a wait for a connection and a statement usually take together. An
 * application's function can wait forever, and the check of all other connections would wait for it.
 */
const callersMs = 15_000

/** A caller that loads longer than this is asked for again: its answer may be lost. */
const askAgainMs = 60_000

/** The connections whose caller is loading, with the time of the question. */
const loading = new WeakMap<ObjectSubscriber, number>()

/**
 * Loads the caller of each connection once. A failure does not affect the other connections. A caller that is still loading is
 * asked for again only after a minute: each question can hold a connection to the database.
 */
export async function loadSubscribers(
  subscriptions: readonly Subscription[],
  limitMs = callersMs,
): Promise<CallerOf> {
  const subscribers = [...new Set(subscriptions.map(({ subscriber }) => subscriber))]
  const expiry = Promise.withResolvers<never>()
  const limit = setTimeout(() => expiry.reject(tooLate()), limitMs)
  const loadOne = async (subscriber: ObjectSubscriber): Promise<Caller> => {
    const askedAtMs = performance.now()
    if (askedAtMs - (loading.get(subscriber) ?? Number.NEGATIVE_INFINITY) < askAgainMs) throw tooLate()
    loading.set(subscriber, askedAtMs)
    try {
      return await subscriber.callerNow()
    } finally {
      if (loading.get(subscriber) === askedAtMs) loading.delete(subscriber)
    }
  }
  const loaded = await Promise.allSettled(
    subscribers.map((subscriber) => Promise.race([loadOne(subscriber), expiry.promise])),
  )
  clearTimeout(limit)
  return new Map(
    subscribers.map((subscriber, index) => [subscriber, loaded[index] as (typeof loaded)[number]]),
  )
}

const tooLate = () => new Error('The caller of a connection did not load in time.')

/** The rights of subscriptions. A subscription that is in neither collection was refused. */
export interface Rights<One extends Subscription> {
  /** The subscriptions whose callers may read the object. */
  readonly allowed: ReadonlySet<One>
  /** The errors of subscriptions whose rights could not be read, so they are unknown. */
  readonly failures: ReadonlyMap<One, unknown>
}

interface Attempt<One> {
  readonly subscription: One
  readonly caller: Caller
  readonly reference: BusinessObjectReference
}

/** Reads the rights of subscriptions. A failure of one vertical does not affect the objects of the others. */
export async function loadRights<One extends Subscription>(
  db: Db,
  { areReadable }: Pick<BusinessObjects, 'areReadable'>,
  { subscriptions, callers }: { readonly subscriptions: readonly One[]; readonly callers: CallerOf },
): Promise<Rights<One>> {
  const failures = new Map<One, unknown>()
  const attempts: Attempt<One>[] = []
  for (const subscription of subscriptions) {
    const { subscriber, reference } = subscription
    const loaded = callers.get(subscriber)
    if (loaded?.status === 'fulfilled') attempts.push({ subscription, caller: loaded.value, reference })
    else if (!isRefusal(loaded?.reason)) failures.set(subscription, loaded?.reason)
  }
  const answers = await areReadable(db, attempts, (index, error) => {
    failures.set((attempts[index] as Attempt<One>).subscription, error)
  })
  const allowed = attempts.flatMap(({ subscription }, index) => (answers[index] ? [subscription] : []))
  return { allowed: new Set(allowed), failures }
}

/** Errors of the kit and of Hono have the status of their response. */
const isRefusal = (reason: unknown): boolean =>
  reason instanceof Error && 'status' in reason && typeof reason.status === 'number' && reason.status < 500
