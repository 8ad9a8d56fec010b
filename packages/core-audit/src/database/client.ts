import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { addArrayTypes } from './array-types.ts'
import { connectionError } from './database-errors.ts'

/** postgres.js's options, without those that every client of ours has. */
export type ClientOptions = Omit<
  NonNullable<Parameters<typeof postgres>[1]>,
  'max' | 'fetch_types' | 'onnotice'
> & {
  /** Receives notifications of the channels that the session listens to. */
  readonly onnotify?: (channel: string, payload: string) => void
}

/** The driver over one connection, which is made at the first statement and never replaced. */
export interface PostgresClient {
  readonly sql: postgres.Sql
  /** Lets running statements finish for `graceSeconds`, then closes the connection, whether or not the server answers. */
  end(graceSeconds: number): Promise<void>
  /** Destroys the connection at once. What waits for an answer may wait from then on. */
  destroy(): void
}

/** How often each host of the address is tried: a failover closes connections that it has just taken. */
const attemptsPerHost = 2

/**
 * Opens a client of one connection: the one place that does, for all packages.
 *
 * The driver leaves its socket to us, so that a connection whose server is silent can be destroyed, and so that it stops
 * connecting: after a connection closed while it was made, and whenever no host of several can be reached, it would try
 * again without a pause and without an end. `onclose` is called once nothing more comes of the connection.
 */
export function openPostgresClient(url: string, options: ClientOptions = {}): PostgresClient {
  const { onclose = () => {} } = options
  let socket: Socket | undefined
  let attemptCount = 0
  let isEnded = false

  const dial = ({ host, port, path }: Address): Socket => {
    if (isEnded || attemptCount === host.length * attemptsPerHost) {
      onclose(0)
      throw connectionError('CONNECTION_CLOSED', 'The server closes every connection')
    }
    const index = attemptCount % host.length
    attemptCount += 1
    const at = { host: host[index] ?? '', port: port[index] ?? 0 }
    socket = path ? connect(path) : connect(at)
    // The driver names the server of a TLS connection by these.
    return Object.assign(socket, at)
  }
  const destroy = (): void => {
    isEnded = true
    socket?.destroy()
  }

  const fixed = { max: 1, fetch_types: false, onnotice: () => {}, socket: dial }
  const sql = postgres(url, { ...options, ...fixed } as object)
  addArrayTypes(sql.options)
  return { sql, destroy, end: (graceSeconds) => sql.end({ timeout: graceSeconds }).finally(destroy) }
}

/** Of postgres.js's parsed options. */
interface Address {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false
}
