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
 * The maximum time for the callers of all connections. An application's function can wait forever, and nobody else's rights
 * would be checked then.
 */
const callersMs = 15_000

/** Loads the caller of each connection once. A failure does not affect the other connections. */
export async function loadSubscribers(
  subscriptions: readonly Subscription[],
  limitMs = callersMs,
): Promise<CallerOf> {
  const subscribers = [...new Set(subscriptions.map(({ subscriber }) => subscriber))]
  const late = Promise.withResolvers<never>()
  const limit = setTimeout(
    () => late.reject(new Error('The caller of a connection did not load in time.')),
    limitMs,
  )
  const loaded = await Promise.allSettled(
    subscribers.map((subscriber) => Promise.race([subscriber.callerNow(), late.promise])),
  )
  clearTimeout(limit)
  return new Map(
    subscribers.map((subscriber, index) => [subscriber, loaded[index] as (typeof loaded)[number]]),
  )
}

/** Errors of the kit and of Hono have the status of their response. */
const isRefusal = (reason: unknown): boolean =>
  reason instanceof Error && 'status' in reason && typeof reason.status === 'number' && reason.status < 500

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

/**
 * Reads the rights of subscriptions, with the statements of `areReadable`. If it fails, reads the rights of each type of object
 * separately, so that the failure of one type does not affect the others.
 */
export async function loadRights<One extends Subscription>(
  db: Db,
  { areReadable }: Pick<BusinessObjects, 'areReadable'>,
  { subscriptions, callers }: { readonly subscriptions: readonly One[]; readonly callers: CallerOf },
): Promise<Rights<One>> {
  const allowed = new Set<One>()
  const failures = new Map<One, unknown>()
  const attempts: Attempt<One>[] = []
  for (const subscription of subscriptions) {
    const { subscriber, reference } = subscription
    const loaded = callers.get(subscriber)
    if (loaded?.status === 'fulfilled') attempts.push({ subscription, caller: loaded.value, reference })
    else if (!isRefusal(loaded?.reason)) failures.set(subscription, loaded?.reason)
  }
  const readAll = async (some: readonly Attempt<One>[]): Promise<void> => {
    const answers = await areReadable(db, some)
    for (const [index, { subscription }] of some.entries()) if (answers[index]) allowed.add(subscription)
  }
  try {
    await readAll(attempts)
  } catch {
    const types = Map.groupBy(attempts, ({ reference: { kind, typeCode } }) => `${kind}/${typeCode}`)
    for (const ofType of types.values()) {
      await readAll(ofType).catch((error: unknown) => {
        for (const { subscription } of ofType) failures.set(subscription, error)
      })
    }
  }
  return { allowed, failures }
}
