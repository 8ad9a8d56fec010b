import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { checkServerIdentity, type ConnectionOptions as TlsOptions } from 'node:tls'
import postgres from 'postgres'
import { addArrayTypes } from './array-types.ts'
import { connectionError } from './database-errors.ts'
import { type DatabaseAddress, parseDatabaseUrl } from './database-url.ts'

/** Returns the current password of the database's user. Called for each new connection, so a password can change. */
export type DatabasePassword = () => string | Promise<string>

/** Options of postgres.js, except the options that this module sets for every client. */
export type ClientOptions = Omit<
  NonNullable<Parameters<typeof postgres>[1]>,
  'max' | 'fetch_types' | 'onnotice' | 'pass' | 'password' | 'host' | 'port' | 'path' | 'socket'
> & {
  /** Called for each notification on any channel that the session listens to. */
  readonly onnotify?: (channel: string, payload: string) => void
  /** Used if the address contains no password. */
  readonly password?: DatabasePassword | undefined
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

/** The share of the driver's time limit for a connection that one of several hosts has for the first byte of its answer. */
const firstByteShare = 0.9

/**
 * The host with which the next connection begins, for each address with several hosts: the one after the host that has failed
 * last, at first the first one. Without it, each connection would wait for a silent first host again.
 */
const firstPlaces = new Map<string, number>()

/**
 * Creates a client with one connection. Every package of the kit uses this function. `onclose` is called when the
 * connection has ended and no further attempt follows.
 *
 * This function supplies the driver's socket, for three reasons. First, the connection to a silent server can be destroyed.
 * Second, the number of attempts is limited. The driver itself would retry endlessly and without a pause if a connection
 * closes during setup, or if none of several hosts can be reached. Third, the password is read before the connection opens:
 * if reading fails while the driver signs in, the process ends.
 *
 * @throws {TypeError} for an invalid address
 */
export function openPostgresClient(url: string, options: ClientOptions = {}): PostgresClient {
  const { onclose: closed = () => {}, password: readPassword = () => '', ...driverOptions } = options
  const { connect_timeout: connectSeconds = 30 } = driverOptions
  const address = parseDatabaseUrl(url)
  const places =
    address.socketPath === null
      ? address.hosts.map((host, index) => ({ host, port: address.ports[index] ?? 0 }))
      : [{ path: address.socketPath }]
  let socket: Socket | undefined
  let host = ''
  let password = address.password
  const firstPlace = firstPlaces.get(url) ?? 0
  let attemptCount = 0
  /** Whether the host of the current attempt has accepted the user. A server that starts or restores refuses the sign-in. */
  let isAccepted = false
  let isEnded = false
  const leaveHost = (): void => {
    if (places.length > 1) firstPlaces.set(url, (firstPlace + attemptCount) % places.length)
  }
  const onclose = (id: number): void => {
    if (attemptCount > 0 && !isAccepted) leaveHost()
    closed(id)
  }

  const dial = async (): Promise<Socket> => {
    const place = places[(firstPlace + attemptCount) % places.length]
    if (place === undefined || isEnded || attemptCount === places.length * attemptsPerHost) {
      onclose(0)
      throw connectionError('CONNECTION_CLOSED', 'The server closes every connection')
    }
    // The attempt before has failed.
    if (attemptCount > 0) leaveHost()
    attemptCount += 1
    isAccepted = false
    try {
      password ??= await readPassword()
    } catch (cause) {
      // With several hosts, the driver does not report an error of the first attempt.
      if (places.length > 1) onclose(0)
      throw connectionError('CONNECTION_CLOSED', 'The password of the database cannot be read', { cause })
    }
    // Nobody would close a connection that opens after the end.
    if (isEnded) {
      if (places.length > 1) onclose(0)
      throw connectionError('CONNECTION_CLOSED', 'The connection has ended')
    }
    const dialed = connect(place)
    socket = dialed
    if (places.length > 1 && connectSeconds > 0) {
      // After its own limit, the driver tries no further host. A frozen machine can accept connections and never answer.
      const limit = setTimeout(() => dialed.destroy(), connectSeconds * 1000 * firstByteShare).unref()
      for (const event of ['data', 'close']) dialed.once(event, () => clearTimeout(limit))
    }
    if ('host' in place) host = place.host
    // The driver reads the TLS server name from these properties.
    return Object.assign(socket, place)
  }
  const destroy = (): void => {
    isEnded = true
    socket?.destroy()
  }

  const sql = postgres({
    ssl: tlsOptions(address, () => host),
    // The driver would end each connection after 30 to 60 minutes, also one that is about to be used.
    max_lifetime: null,
    ...driverOptions,
    // The driver would omit a setting of 0 or `false`, and the role or the database can have another value.
    connection: Object.fromEntries(
      Object.entries(driverOptions.connection ?? {})
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, String(value)]),
    ),
    ...{ max: 1, fetch_types: false, onclose, onnotice: () => {}, socket: dial, pass: () => password ?? '' },
    // Follows when the server has accepted the user.
    onparameter: () => {
      isAccepted = true
    },
    ...{
      host: [...address.hosts, ...(address.socketPath === null ? [] : ['localhost'])],
      port: [...address.ports],
    },
    ...(address.socketPath !== null && { path: address.socketPath }),
    ...(address.user !== undefined && { user: address.user }),
    ...(address.database !== undefined && { database: address.database }),
    ...(address.target === 'primary' && { target_session_attrs: 'primary' }),
  } as object)
  addArrayTypes(sql.options)
  return { sql, destroy, end: (graceSeconds) => sql.end({ timeout: graceSeconds }).finally(destroy) }
}

/** Reads the file of the authorities. While it is missing, for example during its replacement, clients can try again. */
function readAuthorities(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    throw connectionError('CONNECTION_CLOSED', 'The file of sslrootcert cannot be read', { cause })
  }
}

/**
 * Returns the driver's option for TLS. Reads the file of the authorities for each connection, so it can be replaced. The
 * driver would compare the certificate of a host without a name with `localhost`, so compare it here.
 */
function tlsOptions({ tls, rootCertificate }: DatabaseAddress, hostName: () => string): unknown {
  if (tls === 'disable') return false
  if (tls === 'prefer' || tls === 'require') return tls
  return {
    rejectUnauthorized: true,
    ...(rootCertificate !== null && { ca: readAuthorities(rootCertificate) }),
    checkServerIdentity: (_name, certificate) =>
      tls === 'verify-ca' ? undefined : checkServerIdentity(hostName(), certificate),
  } satisfies TlsOptions
}
