import type { Connection } from './connection.ts'

/** A user with connections to this replica. */
export interface ConnectedUser {
  readonly subject: string
  /** `null` until the user has a user record. */
  userId: string | null
  /** The highest known version. */
  version: number
  /** The time at which the version was last sent to the connections. */
  sentAtMs: number
  readonly connections: Set<Connection>
}

/** The users connected to this replica. */
export interface Subscribers {
  /** Returns the user with this subject, for a connection that is added next. Creates the user if necessary. */
  join(subject: string, userId: string | null): ConnectedUser
  add(user: ConnectedUser, connection: Connection): void
  /** Removes a connection. If it is the last connection of the user, removes the user too. */
  leave(user: ConnectedUser, connection: Connection): void
  /** Stores the id of a user that connected before their user record existed. */
  recognise(user: ConnectedUser, userId: string): void
  connectionCountOf(subject: string): number
  withSubject(subject: string): ConnectedUser | undefined
  withId(userId: string): ConnectedUser | undefined
  readonly users: readonly ConnectedUser[]
  readonly connections: readonly Connection[]
  readonly connectionCount: number
}

export function createSubscribers(): Subscribers {
  const bySubject = new Map<string, ConnectedUser>()
  const byId = new Map<string, ConnectedUser>()
  let connectionCount = 0

  const recognise = (user: ConnectedUser, userId: string): void => {
    user.userId = userId
    byId.set(userId, user)
  }

  return {
    recognise,
    join(subject, userId) {
      const user = bySubject.get(subject) ?? {
        subject,
        userId: null,
        version: -1,
        sentAtMs: Number.NEGATIVE_INFINITY,
        connections: new Set(),
      }
      bySubject.set(subject, user)
      if (userId !== null) recognise(user, userId)
      return user
    },
    add(user, connection) {
      user.connections.add(connection)
      connectionCount += 1
    },
    leave(user, connection) {
      user.connections.delete(connection)
      connectionCount -= 1
      if (user.connections.size > 0) return
      bySubject.delete(user.subject)
      if (user.userId !== null) byId.delete(user.userId)
    },
    connectionCountOf: (subject) => bySubject.get(subject)?.connections.size ?? 0,
    withSubject: (subject) => bySubject.get(subject),
    withId: (userId) => byId.get(userId),
    get users() {
      return [...bySubject.values()]
    },
    get connections() {
      return [...bySubject.values()].flatMap((user) => [...user.connections])
    },
    get connectionCount() {
      return connectionCount
    },
  }
}
