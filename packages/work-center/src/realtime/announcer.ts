import type { ConnectedUser } from './subscribers.ts'

export interface AnnouncerOptions {
  readonly quietMs: number
  readonly now: () => number
}

/** Sends users' versions to their connections. */
export interface Announcer {
  /** Stores a version that is higher than the known version of the user, and schedules sending it. */
  advance(user: ConnectedUser, version: number): void
  /** Sends the version of the user immediately to all connections that have not received it. */
  send(user: ConnectedUser): void
  stop(): void
}

/**
 * Creates the announcer. It sends the first change immediately, and combines all further changes within `quietMs` (100
 * ms). An import of a thousand invoices therefore reloads a page ten times a second, not a thousand times, and users
 * cannot count the invoices of other users. One timer serves all users.
 */
export function createAnnouncer({ quietMs, now }: AnnouncerOptions): Announcer {
  const waiting = new Set<ConnectedUser>()
  let timer: NodeJS.Timeout | undefined

  const send = (user: ConnectedUser): void => {
    waiting.delete(user)
    user.sentAtMs = now()
    for (const connection of user.connections) connection.send(user.version)
  }
  const sendWaiting = (): void => {
    timer = undefined
    for (const user of waiting) send(user)
  }

  return {
    send,
    advance(user, version) {
      if (version <= user.version) return
      user.version = version
      if (now() - user.sentAtMs >= quietMs) return send(user)
      waiting.add(user)
      timer ??= setTimeout(sendWaiting, quietMs)
    },
    stop() {
      clearTimeout(timer)
      waiting.clear()
    },
  }
}
