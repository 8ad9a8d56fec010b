import { countAuditEvents, idAt } from '@vertical-kit/core-audit/audit'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { BusinessObjects } from '@vertical-kit/core-audit/objects'
import { keyOf, type ObjectChanges } from './object-key.ts'
import { loadRights, loadSubscribers, type ObjectSubscriber, type Subscription } from './object-rights.ts'
import { createPacer, type Paced } from './pacer.ts'
import { createSingleFlight } from './single-flight.ts'

export interface LiveObjectsOptions {
  readonly database: Database
  readonly businessObjects: Pick<BusinessObjects, 'areReadable'>
  readonly quietMs: number
  readonly now: () => number
  readonly logger: KitEnv['Variables']['logger']
}

/** The objects that the pages of one replica show. */
export interface LiveObjects {
  /**
   * Resolves with whether the connection is now subscribed: `false` for an object that its caller cannot read, and beyond
   * the limit. Every change that commits after the answer is sent. Rejects if the database is unavailable.
   */
  subscribe(subscriber: ObjectSubscriber, reference: BusinessObjectReference): Promise<boolean>
  unsubscribe(subscriber: ObjectSubscriber, reference: BusinessObjectReference): void
  /** Ends all subscriptions of a connection. */
  leave(subscriber: ObjectSubscriber): void
  /** Sends announced changes to their subscribers. */
  changed(objects: ObjectChanges): void
  /** Checks the rights and the changes of all subscriptions. Resolves after the check. */
  check(): Promise<void>
  stop(): void
}

/** The maximum number of subscriptions of a connection, including those that are not answered yet. */
const maxSubscriptions = 20

/**
 * The range of the comparison. A transaction can commit an event long after it created the event's id, so the check counts
 * events of this time. If a transaction takes longer after its event, and its announcement is lost, pages miss the change.
 */
const windowMs = 300_000

/** An object with subscribers on this replica. */
interface LiveObject extends Paced {
  readonly reference: BusinessObjectReference
  readonly subscribers: Set<ObjectSubscriber>
  /** The number that was sent last. */
  number: number
  /** The number of events since the base, at the last check. */
  count: number
}

interface Request extends Subscription {
  /** Settles with the answer: whether the connection is subscribed. */
  readonly answered: PromiseWithResolvers<boolean>
  isWaiting: boolean
}

/** The requests to answer. A full reading also checks all subscriptions. */
interface Reading {
  readonly asked: readonly Request[]
  readonly isFull: boolean
}

/**
 * Creates the subscriptions of one replica. Subscribers receive a number for each announced change. The number is a time in
 * microseconds, so it only increases, on every replica, and does not count changes.
 *
 * Requests and checks share one connection of the pool: while one of them reads, all others wait and are then read together.
 * So neither a flood of requests nor a reconnect of all pages takes more than one connection. A check needs one statement for
 * each 100 callers, those of the verticals' `areReadable`, and one statement that counts the events of all objects.
 *
 * A check sends every object whose count has changed since the last one, because any announcement can be lost. Announced changes
 * are therefore sent a second time. The count becomes smaller if the database has lost commits. Comparing the number of announced
 * changes with the count would not show a lost one: a commit can be counted before its announcement arrives.
 */
export function createLiveObjects(options: LiveObjectsOptions): LiveObjects {
  const { database, businessObjects, quietMs, now, logger } = options
  const objects = new Map<string, LiveObject>()
  /** The keys of each connection's subscriptions and unanswered requests, with the last request. */
  const held = new Map<ObjectSubscriber, Map<string, Request>>()
  let waiting: Request[] = []
  /** The check that the next run performs. */
  let dueCheck: PromiseWithResolvers<void> | undefined
  let baseId = ''

  const pacer = createPacer<LiveObject>({
    ...{ quietMs, now },
    send(object) {
      object.number = Math.max(object.number + 1, Math.floor(now() * 1_000))
      for (const subscriber of object.subscribers) subscriber.sendObject(object.reference, object.number)
    },
  })
  const windowStart = (): string => idAt(database.clock.now() - windowMs)
  const openObject = (reference: BusinessObjectReference): LiveObject => {
    const key = keyOf(reference)
    const object = objects.get(key) ?? {
      ...{ reference, subscribers: new Set(), number: 0, count: 0 },
      sentAtMs: Number.NEGATIVE_INFINITY,
    }
    objects.set(key, object)
    return object
  }
  const drop = (subscriber: ObjectSubscriber, key: string): void => {
    const object = objects.get(key)
    if (object?.subscribers.delete(subscriber) && object.subscribers.size === 0) objects.delete(key)
  }
  const release = (subscriber: ObjectSubscriber, reference: BusinessObjectReference): void => {
    const keys = held.get(subscriber)
    keys?.delete(keyOf(reference))
    if (keys?.size === 0) held.delete(subscriber)
    drop(subscriber, keyOf(reference))
  }
  const accept = ({ subscriber, reference, answered }: Request): void => {
    // The page may have unsubscribed or left while the rights were read.
    const isHeld = held.get(subscriber)?.has(keyOf(reference)) === true
    if (isHeld) openObject(reference).subscribers.add(subscriber)
    answered.resolve(isHeld)
  }
  /** Releases the object of a request, unless the page has asked again: then the later request decides. */
  const giveUp = (request: Request): void => {
    const { subscriber, reference } = request
    if (held.get(subscriber)?.get(keyOf(reference)) === request) release(subscriber, reference)
  }
  /** Ends a subscription. If the page has asked again, the later request decides whether it holds the object. */
  const end = ({ subscriber, reference }: Subscription): void => {
    if (held.get(subscriber)?.get(keyOf(reference))?.isWaiting) drop(subscriber, keyOf(reference))
    else release(subscriber, reference)
  }
  const refuse = (request: Request): void => {
    giveUp(request)
    request.answered.resolve(false)
  }
  const fail = (request: Request, error: unknown): void => {
    const { subscriber, reference, answered } = request
    if (objects.get(keyOf(reference))?.subscribers.has(subscriber) !== true) giveUp(request)
    answered.reject(error)
  }

  /** Reads rights and counts. A full check reads those of all subscriptions. */
  const read = async ({ asked, isFull }: Reading): Promise<void> => {
    if (objects.size === 0) baseId = windowStart()
    const nextId = isFull ? windowStart() : baseId
    const fresh = new Set(asked.map(({ reference }) => keyOf(reference)).filter((key) => !objects.has(key)))
    // Open the objects before their events are counted, so that no announcement falls between the two.
    for (const { reference } of asked) openObject(reference)
    const open = isFull ? [...objects.values()].flatMap(subscriptionsOf) : []
    const counted = [...(isFull ? objects.keys() : fresh)].map((key) => {
      return { object: objects.get(key) as LiveObject, isFresh: fresh.has(key) }
    })
    const references = counted.map(({ object }) => object.reference)
    const subscriptions = [...open, ...asked]
    const callers = await loadSubscribers(subscriptions)
    const [rights, counts] = await database.read(async (db) => [
      await loadRights(db, businessObjects, { subscriptions, callers }),
      await countAuditEvents(db, { references, sinceId: baseId, nextId }),
    ])
    const { allowed, failures } = rights
    const [err] = failures.values()
    // One line for all: after a failure of an identity provider, there can be one for each open page.
    if (failures.size > 0) {
      const failedCount = failures.size
      logger.warn(
        { err, failedCount },
        'The rights of subscriptions could not be read; the next check retries.',
      )
    }
    baseId = nextId
    for (const [index, { object, isFresh }] of counted.entries()) {
      const { sinceCount = 0, nextCount = 0 } = counts[index] ?? {}
      if (!isFresh && sinceCount !== object.count) pacer.request(object)
      object.count = nextCount
    }
    for (const one of open) {
      if (!allowed.has(one) && !failures.has(one)) end(one)
    }
    for (const request of asked) {
      if (failures.has(request)) fail(request, failures.get(request))
      else (allowed.has(request) ? accept : refuse)(request)
    }
  }

  const flight = createSingleFlight(async () => {
    const asked = waiting
    const check = dueCheck
    waiting = []
    dueCheck = undefined
    try {
      await read({ asked, isFull: check !== undefined })
    } catch (error) {
      logger.warn({ err: error }, 'Checking subscriptions failed; the next check retries.')
      for (const request of asked) fail(request, error)
    }
    for (const request of asked) {
      request.isWaiting = false
      const key = keyOf(request.reference)
      if (objects.get(key)?.subscribers.size === 0) objects.delete(key)
    }
    check?.resolve()
  })

  return {
    async subscribe(subscriber, reference) {
      const keys = held.get(subscriber) ?? new Map<string, Request>()
      const key = keyOf(reference)
      if (!keys.has(key) && keys.size >= maxSubscriptions) return false
      const answered = Promise.withResolvers<boolean>()
      const request: Request = { subscriber, reference, answered, isWaiting: true }
      held.set(subscriber, keys.set(key, request))
      waiting.push(request)
      flight.request()
      return answered.promise
    },
    unsubscribe: release,
    leave(subscriber) {
      for (const key of held.get(subscriber)?.keys() ?? []) drop(subscriber, key)
      held.delete(subscriber)
    },
    changed(changes) {
      if (objects.size === 0) return
      for (const key of changes) {
        const object = objects.get(key)
        if (object !== undefined) pacer.request(object)
      }
    },
    async check() {
      if (objects.size === 0) return
      // Do not wait for later runs: clients that subscribe without a pause would delay the check of all others forever.
      const check = dueCheck ?? Promise.withResolvers<void>()
      dueCheck = check
      flight.request()
      await check.promise
    },
    stop: pacer.stop,
  }
}

const subscriptionsOf = ({ reference, subscribers }: LiveObject): readonly Subscription[] =>
  [...subscribers].map((subscriber) => ({ subscriber, reference }))
