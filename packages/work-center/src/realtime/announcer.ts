import type { ConnectedUser } from './subscribers.ts'

export interface AnnouncerOptions {
  readonly quietMs: number
  readonly now: () => number
}

/** Tells users' connections their versions. */
export interface Announcer {
  /** The version is at least this now; one that is not news is nothing. */
  advance(user: ConnectedUser, version: number): void
  /** Tells connections that have not heard the user's version yet, at once. */
  tell(user: ConnectedUser): void
  stop(): void
}

/**
 * The first change is told at once, those that follow within `quietMs` together: somebody who imports a thousand
 * invoices makes one page load again ten times a second, not a thousand times, and others cannot count what they do.
 * One timer for everybody.
 */
export function createAnnouncer({ quietMs, now }: AnnouncerOptions): Announcer {
  const waiting = new Set<ConnectedUser>()
  let timer: NodeJS.Timeout | undefined

  const tell = (user: ConnectedUser): void => {
    waiting.delete(user)
    user.toldAtMs = now()
    for (const connection of user.connections) connection.send(user.version)
  }
  const tellWaiting = (): void => {
    timer = undefined
    for (const user of waiting) tell(user)
  }

  return {
    tell,
    advance(user, version) {
      if (version <= user.version) return
      user.version = version
      if (now() - user.toldAtMs >= quietMs) return tell(user)
      waiting.add(user)
      timer ??= setTimeout(tellWaiting, quietMs)
    },
    stop() {
      clearTimeout(timer)
      waiting.clear()
    },
  }
}
