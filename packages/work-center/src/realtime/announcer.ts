import { createPacer } from './pacer.ts'
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

/** Creates the announcer. It limits how often it sends versions of one user: see `createPacer`. */
export function createAnnouncer({ quietMs, now }: AnnouncerOptions): Announcer {
  const pacer = createPacer<ConnectedUser>({
    ...{ quietMs, now },
    send({ connections, version }) {
      for (const connection of connections) connection.send(version)
    },
  })
  return {
    ...{ send: pacer.send, stop: pacer.stop },
    advance(user, version) {
      if (version <= user.version) return
      user.version = version
      pacer.request(user)
    },
  }
}
