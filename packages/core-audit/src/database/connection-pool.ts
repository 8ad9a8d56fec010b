import { createAdmission } from './admission.ts'
import type { Connection } from './connection.ts'
import { countTimeouts, waits } from './pool-metrics.ts'

/** An item of the pool: a connection, and the state that belongs to the connection. */
export interface Pooled {
  readonly connection: Connection
}

export interface ConnectionPoolOptions<Session extends Pooled> {
  /** The name of the pool in metrics. */
  readonly name: string
  readonly max: number
  /** Maximum number of pieces of work that share a connection. */
  readonly sharedMax: number
  /** Maximum time that work waits for a free connection. */
  readonly waitMs: number
  /** Whether the metrics count work that has waited too long; false if the work then runs elsewhere. True when absent. */
  readonly countsTimeouts?: boolean
  /** Connections that are idle for this time are closed, after at most twice this time. */
  readonly idleMs: number
  /** Creates an item of the pool. Its connection must call `onLost` when the connection closes. */
  readonly open: (onLost: () => void) => Session
  /** Runs on each new connection before its first work. If it rejects, the connection is closed. */
  readonly prepare?: (session: Session) => Promise<void>
  /** Creates the error for work that has waited too long for a connection, or that starts after `close`. */
  readonly refusal: () => Error
}

/** A pool of connections. */
export interface ConnectionPool<Session extends Pooled> {
  /** Runs work on a connection of its own. */
  run<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Runs work whose statements are independent of each other and of the state of the connection. While every connection is in
   * use, several pieces of such work share one: their statements are sent together and run one after the other.
   */
  share<T>(work: (session: Session) => Promise<T>): Promise<T>
  /**
   * Runs work on a connection of its own, without waiting for other work: while all `max` connections are in use, on one more.
   * At most {@link extraMax} more are open at the same time; further work waits as that of `run`.
   */
  runAtOnce<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Connections in use. */
  readonly runningCount: number
  readonly waitingCount: number
  readonly idleCount: number
  /** Waits up to `graceSeconds` for running statements, then closes every connection. Later work is rejected. */
  close(graceSeconds: number): Promise<void>
}

/** An item of the pool that is in use. */
interface Place<Session> {
  readonly session: Session
  isPrepared: boolean
  /** Whether further shared work can use the connection. */
  isShared: boolean
  workCount: number
  /** When the first of the current works began, or when the last one ended. */
  progressedAtMs: number
}

/**
 * No work joins a connection on which no work has ended for this time, because its statement would wait for a slow one. Most
 * statements of requests take less than 1 ms.
 */
const briskMs = 5

/** A probe of the whole host and one of its readiness can run at the same time. */
const extraMax = 2

/**
 * Creates a pool, which connects at the first statement. Each connection has its own driver client. The client is discarded
 * together with a lost connection, so an inconsistent state in the client does no harm.
 */
export function createConnectionPool<Session extends Pooled>(
  options: ConnectionPoolOptions<Session>,
): ConnectionPool<Session> {
  const { name, max, sharedMax, waitMs, countsTimeouts = true, idleMs, open, prepare, refusal } = options
  const attributes = { 'db.client.connection.pool.name': name }
  const onTimeout = (): Error => {
    if (countsTimeouts) countTimeouts(name, 1)
    return refusal()
  }
  const admission = createAdmission<Place<Session>>({ waitMs, onTimeout })
  const all = new Set<Place<Session>>()
  /** Places beyond `max`. They do not count for other work, and are closed after their work. */
  const extras = new Set<Place<Session>>()
  /** Idle items. The most recently used item is reused first, so surplus connections stay idle until they close. */
  const idle: Place<Session>[] = []
  let isClosed = false
  let retirement: NodeJS.Timeout | undefined

  const addTo = (places: Set<Place<Session>>): Place<Session> => {
    const session = open(() => {
      const index = idle.indexOf(place)
      if (index === -1) return
      idle.splice(index, 1)
      discard(place)
    })
    const place = {
      session,
      isPrepared: prepare === undefined,
      isShared: false,
      workCount: 0,
      progressedAtMs: 0,
    }
    places.add(place)
    return place
  }

  const discard = (place: Place<Session>): void => {
    all.delete(place)
    extras.delete(place)
    // The connection has no running statements, and a failure to close a lost connection does not matter.
    place.session.connection.end(0).catch(() => {})
  }

  /**
   * Closes connections that nothing has used for a while. The driver's own timeout would close a connection that is just being
   * used, and the statement would fail.
   */
  const retireLater = (): void => {
    retirement ??= setTimeout(() => {
      retirement = undefined
      const sinceMs = performance.now() - idleMs
      const usedAt = idle.findIndex(({ progressedAtMs }) => progressedAtMs > sinceMs)
      for (const place of idle.splice(0, usedAt === -1 ? idle.length : usedAt)) discard(place)
      if (idle.length > 0) retireLater()
    }, idleMs).unref()
  }

  const begin = (place: Place<Session>, use: Pick<Place<Session>, 'isShared'>): Place<Session> =>
    Object.assign(place, use, { workCount: 1, progressedAtMs: performance.now() })
  const takeFree = (use: Pick<Place<Session>, 'isShared'>): Place<Session> | undefined => {
    const place = idle.pop() ?? (all.size < max ? addTo(all) : undefined)
    return place === undefined ? undefined : begin(place, use)
  }
  const takeOwn = () => takeFree({ isShared: false })
  const takeAtOnce = () =>
    takeOwn() ?? (extras.size < extraMax ? begin(addTo(extras), { isShared: false }) : undefined)
  const takeShared = (): Place<Session> | undefined => {
    const free = takeFree({ isShared: true })
    if (free !== undefined || sharedMax === 1) return free
    const joined = findJoinable(all, sharedMax)
    if (joined !== undefined) joined.workCount += 1
    return joined
  }

  const leave = (place: Place<Session>): void => {
    place.workCount -= 1
    place.progressedAtMs = performance.now()
    if (place.workCount === 0) {
      if (place.session.connection.isLost || !place.isPrepared || extras.has(place)) discard(place)
      else {
        idle.push(place)
        retireLater()
      }
    }
    admission.proceed()
  }

  const use = async <T>(
    enter: () => Place<Session> | Promise<Place<Session>>,
    work: (session: Session) => Promise<T>,
  ): Promise<T> => {
    const arrivedMs = performance.now()
    const taken = enter()
    const place = taken instanceof Promise ? await taken : taken
    try {
      waits.record((performance.now() - arrivedMs) / 1_000, attributes)
      if (isClosed) throw refusal()
      if (!place.isPrepared) await prepare?.(place.session)
      place.isPrepared = true
      return await work(place.session)
    } finally {
      leave(place)
    }
  }

  return {
    run: (work) => use(() => admission.enter(takeOwn), work),
    share: (work) => use(() => admission.enter(takeShared), work),
    runAtOnce: (work) => use(() => takeAtOnce() ?? admission.enter(takeOwn), work),
    get runningCount() {
      return all.size - idle.length
    },
    get waitingCount() {
      return admission.waitingCount
    },
    get idleCount() {
      return idle.length
    },
    async close(graceSeconds) {
      isClosed = true
      clearTimeout(retirement)
      await Promise.all([...all, ...extras].map(({ session }) => session.connection.end(graceSeconds)))
    },
  }
}

/**
 * Returns a place that further shared work can join: always the one that was added last, because statements that are sent in
 * one turn of the event loop over one connection need only one write.
 */
function findJoinable<Session extends Pooled>(
  places: Iterable<Place<Session>>,
  sharedMax: number,
): Place<Session> | undefined {
  const briskSinceMs = performance.now() - briskMs
  let found: Place<Session> | undefined
  for (const place of places) {
    const { isShared, isPrepared, workCount, progressedAtMs, session } = place
    const isBrisk = progressedAtMs > briskSinceMs && !session.connection.isLost
    if (isShared && isPrepared && isBrisk && workCount < sharedMax) found = place
  }
  return found
}
