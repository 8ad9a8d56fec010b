import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { addArrayTypes } from './array-types.ts'
import { connectionError } from './database-errors.ts'

/** Options of postgres.js, except the options that this module sets for every client. */
export type ClientOptions = Omit<
  NonNullable<Parameters<typeof postgres>[1]>,
  'max' | 'fetch_types' | 'onnotice'
> & {
  /** Called for each notification on any channel that the session listens to. */
  readonly onnotify?: (channel: string, payload: string) => void
}

/** A driver client with one connection, which opens at the first statement and is never replaced. */
export interface PostgresClient {
  readonly sql: postgres.Sql
  /** Waits up to `graceSeconds` for running statements, then closes the connection even if the server does not answer. */
  end(graceSeconds: number): Promise<void>
  /** Destroys the connection immediately. Pending statements may then never settle. */
  destroy(): void
}

/** Maximum attempts per host. During a failover, a server can accept the first connection and close it immediately. */
const attemptsPerHost = 2

/**
 * Creates a client with one connection. Every package of the kit uses this function. `onclose` is called when the
 * connection has ended and no further attempt follows.
 *
 * This function supplies the driver's socket, for two reasons. First, the connection to a silent server can be destroyed.
 * Second, the number of attempts is limited. The driver itself would retry endlessly and without a pause if a connection
 * closes during setup, or if none of several hosts can be reached.
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
    // The driver reads the TLS server name from these properties.
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

/** The address in the parsed options of postgres.js. */
interface Address {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path: string | false
}
