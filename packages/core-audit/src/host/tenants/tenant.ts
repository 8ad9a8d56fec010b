import type { Logger } from 'pino'
import type { DatabaseConfig } from '../../database/config.ts'
import type { Gate } from '../../database/gate.ts'
import { CoreError } from '../../errors.ts'
import type { FailingWorkers } from '../workers.ts'
import { type Agenda, visit } from './agenda.ts'
import type { TenantsConfig } from './config.ts'
import { type OpenTenant, type RunningTenant, runTenant } from './open-tenant.ts'

export interface TenantSettings {
  readonly id: string
  readonly databaseConfig: DatabaseConfig
  readonly open: OpenTenant
  readonly config: TenantsConfig
  readonly logger: Logger
  /** Counts the open tenants of the process. A tenant keeps its place until its database is closed. */
  readonly places: Gate
  /**
   * Closes another tenant that has had no request for this time, unless enough places are free, or about to be. Returns false if
   * there is no such tenant.
   */
  makeRoom(options: { readonly opening: 'request' | 'work'; readonly restedMs: number }): boolean
  readonly isDraining: () => boolean
  /** The time in which a server must answer a visit. */
  readonly visitTimeoutMs: number
  /** The monotonic clock in milliseconds. */
  readonly now: () => number
  /** Returns numbers that are at least 0 and less than 1, which spread the visits. */
  readonly random: () => number
}

/**
 * One tenant of a process, open or closed:
 *
 *     closed ──request, or a visit finds due work──▶ open
 *     open ──idle, no long cycle runs, and nothing is due──▶ closed
 *
 * No state of a tenant is shared with another one, except the number of places for open tenants.
 */
export interface Tenant {
  /** Runs `work` on the open tenant. Opens it if necessary. @throws {CoreError} service.unavailable */
  use<T>(work: (running: RunningTenant) => Promise<T>): Promise<T>
  /** Counts a socket as use until the returned function is called. */
  hold(): () => void
  /** The time of the next visit by the monotonic clock; infinite while the tenant is open. */
  readonly nextVisitMs: number
  /** Whether the last attempt to open or visit the tenant failed. */
  readonly isFailing: boolean
  /** Whether a worker is in a cycle that should not be aborted, such as the sending of a mail. */
  readonly isWorking: boolean
  /** Whether due work has waited for a place for half a minute to a minute. */
  readonly isStarving: boolean
  /** Whether the last cycle of a worker failed, or has left work that was due 10 minutes before. */
  readonly isBehind: boolean
  /** The time of the last use or of the opening, or `undefined` if the tenant is closed or in use. */
  readonly restsSinceMs: number | undefined
  /** Asks the closed tenant for due work, with one statement on a connection of its own. Never rejects. */
  check(): Promise<'due' | 'idle'>
  /** Opens the tenant, so that its workers run, unless all places are in use. Resolves when it is open. Never rejects. */
  openForWork(): Promise<void>
  /** Closes a tenant that `openForWork` has opened when every worker has run, unless it was used. Never rejects. */
  closeAfterWork(): Promise<void>
  /** Closes the tenant if it has been idle, no long cycle of a worker runs, and no work is due soon. Never rejects. */
  closeIfIdle(): Promise<void>
  /** Gives up an opening, or stops sockets and workers. Requests can still use the database. The tenant cannot open again. */
  stop(): Promise<void>
  /** Closes the tenant now, although it was used recently. Never rejects. */
  evict(): Promise<void>
  /** Gives up an opening, or closes the tenant. It cannot open again. */
  close(): Promise<void>
}

/** A tenant stays open if work is due within this time: opening it again costs more. */
const soonMs = 5_000
const firstRetryMs = 1_000
/** The longest pause of work that waits for a place. */
const maxPlacePauseMs = 10_000
/** When so many tries have failed, work has waited for 25 to 55 s: each of them can wait for a place for 5 s. */
const starvingTries = 6
/** How late work may be, in addition to two cycles. The health of the seals uses the same limits. */
const toleratedMs = 10 * 60_000
/** The longest time in which requests of a tenant that cannot be opened are refused without another attempt. */
const maxRefusalMs = 5_000

/** Creates a closed tenant. Its first visit is at a random time of the first interval, and opens it. */
export function createTenant(settings: TenantSettings): Tenant {
  const { config, now, random, logger } = settings
  /** Set from the start of an opening to the start of the closing. */
  let opening: Promise<RunningTenant> | undefined
  let running: RunningTenant | undefined
  let agenda: Agenda | undefined
  let useCount = 0
  let usedAtMs = Number.NEGATIVE_INFINITY
  let openedAtMs = Number.NEGATIVE_INFINITY
  let nextVisitMs = now() + random() * config.visitIntervalMs
  let isAsking = false
  let failureCount = 0
  let triesWithoutPlace = 0
  /** The evictions since the tenant was last used or had no due work. */
  let evictionCount = 0
  /** A visit opens the closed tenant to repeat a failed cycle when its interval has passed since the last opening. */
  let failing: FailingWorkers = new Map()
  /** Whether a cycle has left work that was due long before. */
  let isOverdue = false
  let refusedUntilMs = Number.NEGATIVE_INFINITY
  const closing = new Set<Promise<void>>()
  const givingUp = new AbortController()

  const plan = (waitMs: number): void => {
    const regularMs = openedAtMs + (agenda?.intervalMs ?? 0) - now()
    nextVisitMs = now() + Math.max(0, Math.min(config.visitIntervalMs, waitMs, regularMs))
  }
  const pauseAfter = (count: number): number =>
    Math.min(config.visitIntervalMs, firstRetryMs * 2 ** count) * (0.5 + random() / 2)
  const succeeded = (): void => {
    if (failureCount > 0) logger.info({ tenant: settings.id }, 'The tenant can be reached again.')
    failureCount = 0
  }
  const failed = (err: unknown): void => {
    // Log once for each outage, not for each attempt.
    if (failureCount === 0) logger.error({ err, tenant: settings.id }, 'The tenant cannot be opened.')
    nextVisitMs = now() + pauseAfter(failureCount)
    failureCount += 1
  }

  /** Remembers what the answer of the database means for the tenant, and returns the answer. */
  const noteDue = (waitMs: number): number => {
    if (waitMs > 0) evictionCount = 0
    const wasOverdue = isOverdue
    isOverdue = -waitMs > toleratedMs + 2 * (agenda?.longestMs ?? 0)
    if (isOverdue && !wasOverdue) logger.warn({ tenant: settings.id }, 'Work of the tenant stays due.')
    return waitMs
  }

  /** Opens the tenant in one of the places, and keeps the place until it is closed. */
  const openInPlace = (): Promise<RunningTenant> => {
    const opened = Promise.withResolvers<RunningTenant>()
    let hasPlace = false
    const ended = settings.places.run(async () => {
      hasPlace = true
      const { id, databaseConfig, open, isDraining } = settings
      const { signal } = givingUp
      const takeFailing = () => (failing = new Map(failing))
      const options = { id, config: databaseConfig, open, logger, isDraining, takeFailing, signal }
      const tenant = await runTenant(options)
      const closed = Promise.withResolvers<void>()
      const own = { ...tenant, close: () => tenant.close().finally(closed.resolve) }
      running = own
      agenda = tenant.agenda
      triesWithoutPlace = 0
      openedAtMs = now()
      succeeded()
      opened.resolve(own)
      await closed.promise
    })
    ended.catch((error: unknown) => {
      opening = undefined
      if (givingUp.signal.aborted) nextVisitMs = Number.POSITIVE_INFINITY
      else if (hasPlace) {
        failed(error)
        refusedUntilMs = Math.min(nextVisitMs, now() + maxRefusalMs)
      } else {
        logger.warn({ tenant: settings.id }, 'The tenant cannot be opened, because all places are in use.')
        nextVisitMs = now() + firstRetryMs
      }
      opened.reject(new CoreError('service.unavailable', { cause: error }))
    })
    return opened.promise
  }
  const makeRoomForWaiting = () => settings.makeRoom({ opening: 'request', restedMs: 0 })
  const enter = async (): Promise<RunningTenant> => {
    if (opening === undefined) {
      opening = openInPlace()
      makeRoomForWaiting()
    }
    return opening
  }
  /** Takes a free place, or the one that another tenant leaves. Requests that arrive in the meantime come first. */
  const enterLast = async (start: () => Promise<RunningTenant>): Promise<RunningTenant> => {
    if (!settings.makeRoom({ opening: 'work', restedMs: soonMs })) throw new CoreError('service.unavailable')
    return settings.places.startLast(start)
  }
  /** A later round tries again. */
  const waitForPlace = (): void => {
    triesWithoutPlace += 1
    nextVisitMs = now() + Math.min(maxPlacePauseMs, firstRetryMs * 2 ** (triesWithoutPlace - 1))
    if (triesWithoutPlace !== starvingTries) return
    const text = 'Work of the tenant waits, because all places are in use. Increase Tenants__MaxOpen.'
    logger.warn({ tenant: settings.id }, text)
  }
  const close = async (): Promise<void> => {
    const left = running
    // A request can open the tenant again while it closes, like another replica.
    opening = running = undefined
    if (left === undefined) return
    const closed = left
      .close()
      .catch((err: unknown) => logger.warn({ err, tenant: settings.id }, 'Closing a tenant failed.'))
    const finished: Promise<void> = closed.then(() => left.finish()).finally(() => closing.delete(finished))
    closing.add(finished)
    // This frees the place: other tenants do not wait for `finish` of a worker, which can be slow.
    await closed
  }
  const isIdle = (): boolean =>
    running !== undefined && useCount === 0 && now() - Math.max(usedAtMs, openedAtMs) >= config.idleAfterMs
  /** Whether the tenant has opened only for its work. */
  const isUnused = (): boolean => usedAtMs < openedAtMs && useCount === 0
  const hold = (): (() => void) => {
    useCount += 1
    return () => {
      useCount -= 1
      usedAtMs = now()
      // Now this tenant, or one that has rested longer, can make room for another one.
      if (useCount === 0) makeRoomForWaiting()
    }
  }
  const closeUnlessDue = async (mayClose: () => boolean): Promise<void> => {
    const asked = running
    if (asked === undefined || isAsking || asked.mustStayOpen()) return
    isAsking = true
    const answer = await asked.dueInMs().catch(() => undefined)
    isAsking = false
    // The tenant has closed in the meantime, so a later visit can have noted a newer answer.
    if (running !== asked) return
    const waitMs = answer === undefined ? Number.POSITIVE_INFINITY : noteDue(answer)
    if (waitMs <= soonMs || !mayClose() || asked.mustStayOpen()) return
    plan(waitMs)
    await close()
  }

  return {
    async use(work) {
      const release = hold()
      try {
        if (opening === undefined && now() < refusedUntilMs) throw new CoreError('service.unavailable')
        return await work(await enter())
      } finally {
        release()
      }
    },
    hold,
    get nextVisitMs() {
      return opening !== undefined ? Number.POSITIVE_INFINITY : nextVisitMs
    },
    get isFailing() {
      return failureCount > 0
    },
    get isWorking() {
      return running?.mustStayOpen() === true
    },
    get isStarving() {
      return triesWithoutPlace >= starvingTries
    },
    get isBehind() {
      return isOverdue || failing.size > 0
    },
    get restsSinceMs() {
      return running === undefined || useCount > 0 ? undefined : Math.max(usedAtMs, openedAtMs)
    },
    async check() {
      if (agenda === undefined) return 'due'
      if (now() >= openedAtMs + Math.min(agenda.intervalMs, ...failing.values())) return 'due'
      try {
        const waitMs = await visit(settings.databaseConfig, agenda, settings.visitTimeoutMs)
        if (waitMs > 0) {
          // If work is due, the opening decides whether the tenant has recovered.
          succeeded()
          // Another replica has done the work.
          triesWithoutPlace = 0
          noteDue(waitMs)
        }
        plan(waitMs)
        return waitMs <= 0 ? 'due' : 'idle'
      } catch (error) {
        // A request can have opened the tenant during the visit.
        if (running === undefined) failed(error)
        return 'idle'
      }
    },
    async openForWork() {
      let hasPlace = opening !== undefined
      const start = (): Promise<RunningTenant> => {
        hasPlace = true
        return enter()
      }
      // A request of another tenant may have waited since the start of the opening. `openInPlace` logs an error and plans
      // the next visit.
      await (hasPlace ? enter() : enterLast(start)).then(makeRoomForWaiting, () => {})
      if (!hasPlace) waitForPlace()
    },
    async closeAfterWork() {
      await running?.cycled
      if (isUnused()) await closeUnlessDue(isUnused)
    },
    async closeIfIdle() {
      // A tenant in use is asked only to find the end of the delay.
      if (isIdle() || isOverdue) await closeUnlessDue(isIdle)
    },
    async stop() {
      givingUp.abort()
      await running?.stop()
    },
    evict() {
      // Its next work is not known. Work that stays due must leave the place to others.
      if (!isUnused()) evictionCount = 0
      nextVisitMs = now() + pauseAfter(evictionCount)
      evictionCount += 1
      return close()
    },
    async close() {
      givingUp.abort()
      await opening?.catch(() => {})
      await close()
      await Promise.all(closing)
    },
  }
}
