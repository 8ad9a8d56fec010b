import { readFileSync } from 'node:fs'

/** How a connection uses TLS, with the names and meanings of libpq. */
export type TlsMode = 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'

/** The parts of a database address. */
export interface DatabaseAddress {
  /** Host names or IP addresses; the first one that accepts the connection is used. Empty for a Unix socket. */
  readonly hosts: readonly string[]
  /** One port for each host, or the port of the Unix socket. */
  readonly ports: readonly number[]
  readonly socketPath: string | null
  /** Default: the name of the operating system's account. */
  readonly user: string | undefined
  readonly password: string | undefined
  /** Default: the name of the user. */
  readonly database: string | undefined
  readonly tls: TlsMode
  /** The path of a PEM file with the accepted authorities; `null` means those of Node.js. */
  readonly rootCertificate: string | null
  readonly target: 'any' | 'primary'
}

/**
 * Parses `postgres://user:password@host:port/name?parameters`. The host can be a list (`a,b:5433`) or the folder of a Unix
 * socket, as a parameter (`postgres:///name?host=/run/postgresql`) or encoded (`postgres://%2Frun%2Fpostgresql/name`).
 * Every parameter has an effect or is refused: postgres.js would send unknown parameters to the server, where they replace
 * the settings of the host, and it ignores others.
 *
 * @throws {TypeError} with the text of {@link databaseUrlProblems}
 * @see PostgreSQL 34.1.1.2 for the format and 34.1.2 for the parameters
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const { address, problems } = parse(text)
  if (address === undefined || problems.length > 0) throw new TypeError(`databaseUrl: ${problems.join('; ')}`)
  return address
}

/** Returns why a database address is invalid; empty for a valid address. The result never contains a value of the address. */
export function databaseUrlProblems(text: string): readonly string[] {
  if (text === '') return ['is required']
  const { address, problems } = parse(text)
  return [...problems, ...rootCertificateProblems(address)]
}

/** Returns whether the address contains a password, even if another part of the address is invalid. */
export const hasPassword = (text: string): boolean => parse(text).address?.password !== undefined

interface Parsed {
  readonly address?: DatabaseAddress
  readonly problems: readonly string[]
}

const shape = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/
const malformed: Parsed = { problems: ['expected a postgres:// address'] }
const defaultPort = 5432

function parse(text: string): Parsed {
  const match = shape.exec(text)
  if (match === null) return malformed
  try {
    const [, user = '', authority = '', name = '', query = ''] = match
    const [userName, ...password] = user.split(':')
    const parameters = [...new URLSearchParams(query.replaceAll('+', '%2B'))]
    const problems: string[] = []
    const places = readPlaces(authority, new Map(parameters), problems)
    const tls = readTls(parameters, places, problems)
    problems.push(...refusedParameters(parameters))
    const address = {
      ...places,
      ...tls,
      user: decode(userName),
      password: decode(password.join(':')),
      database: decode(name),
      target: readTarget(new Map(parameters), problems),
    }
    return { address, problems }
  } catch (error) {
    if (error instanceof URIError) return malformed
    throw error
  }
}

/** Returns the decoded text, or `undefined` if it is empty. Like libpq, refuses NUL. @throws {URIError} */
function decode(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (text.includes('%00')) throw new URIError('NUL')
  return decodeURIComponent(text)
}

type Parameters = ReadonlyMap<string, string>
type Places = Pick<DatabaseAddress, 'hosts' | 'ports' | 'socketPath'>

function readPlaces(authority: string, parameters: Parameters, problems: string[]): Places {
  const list = parameters.get('host')
  if (list !== undefined && authority !== '') problems.push('host: name the hosts only once')
  const entries = (list ?? authority).split(',')
  const places = entries.map((entry) => readPlace(entry, parameters.get('port')))
  if (places.some((place) => place === null)) {
    problems.push(
      'expected a postgres:// address with a host: a name, an IP address or the folder of a socket',
    )
  }
  const found = places.filter((place) => place !== null)
  const [first] = found
  const sockets = found.filter(({ host }) => host.startsWith('/'))
  if (sockets.length > 0 && found.length > 1) problems.push('host: a Unix socket must be the only host')
  if (first === undefined || sockets.length === 0) {
    return { hosts: found.map(({ host }) => host), ports: found.map(({ port }) => port), socketPath: null }
  }
  return { hosts: [], ports: [first.port], socketPath: `${first.host}/.s.PGSQL.${first.port}` }
}

function readPlace(entry: string, standard = String(defaultPort)) {
  const [, bracketed, plain, digits = standard] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(entry) ?? []
  const host = decode(bracketed ?? plain)
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0
  return host === undefined || /\s/.test(host) || port < 1 || port > 65_535 ? null : { host, port }
}

const tlsModes: readonly TlsMode[] = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']
const isTlsMode = (text: string): text is TlsMode => tlsModes.some((mode) => mode === text)

function readTls(
  parameters: readonly (readonly [string, string])[],
  { socketPath }: Places,
  problems: string[],
): Pick<DatabaseAddress, 'tls' | 'rootCertificate'> {
  const given = new Map(parameters)
  const root = given.get('sslrootcert')
  const mode = given.get('sslmode') ?? (root === 'system' ? 'verify-full' : 'disable')
  const tls = isTlsMode(mode) ? mode : 'disable'
  if (tls !== mode) problems.push(`sslmode: expected ${tlsModes.slice(0, -1).join(', ')} or verify-full`)
  else if (socketPath !== null && tls !== 'disable' && tls !== 'prefer') {
    problems.push('sslmode: a Unix socket has no TLS; remove it')
  } else if (
    root !== undefined &&
    !(root === 'system' ? ['verify-full'] : ['verify-ca', 'verify-full']).includes(tls)
  ) {
    problems.push(
      'sslrootcert: has an effect only with sslmode=verify-full or, for a file, sslmode=verify-ca',
    )
  }
  return {
    tls: socketPath === null ? tls : 'disable',
    rootCertificate: root === undefined || root === 'system' ? null : root,
  }
}

/** A host writes, so it can use only a primary. `read-write` is treated as `primary`: a standby is never writable. */
function readTarget(parameters: Parameters, problems: string[]): DatabaseAddress['target'] {
  const target = parameters.get('target_session_attrs') ?? 'any'
  if (target === 'any') return 'any'
  if (target !== 'primary' && target !== 'read-write') {
    problems.push('target_session_attrs: expected any, primary or read-write, because the host writes')
  }
  return 'primary'
}

const supported = new Set([
  'host',
  'port',
  'sslmode',
  'sslrootcert',
  'target_session_attrs',
  'channel_binding',
])

/** The advice for parameters that are often found in addresses; `undefined` for others. */
const advice: Readonly<Record<string, string>> = {
  user: 'write the user before the host',
  password: 'write the password before the host, or set DATABASE_PASSWORD_FILE',
  dbname: 'write the database after the host',
  sslcert: 'client certificates are not supported; use a password',
  sslkey: 'client certificates are not supported; use a password',
  sslcrl: 'revocation lists are not supported; use certificates with a short lifetime',
  ssl: 'use sslmode',
  options: 'the host sets its own limits and search path',
}

function refusedParameters(parameters: readonly (readonly [string, string])[]): readonly string[] {
  const names = parameters.map(([name]) => name)
  const twice = new Set(names.filter((name, index) => supported.has(name) && names.indexOf(name) !== index))
  const binding = new Map(parameters).get('channel_binding') ?? 'prefer'
  return [
    ...[...twice].map((name) => `${name}: is given twice`),
    // postgres.js never binds channels, and the other values of libpq permit this.
    ...(['disable', 'prefer'].includes(binding)
      ? []
      : [
          'channel_binding: is not supported; remove it and use sslmode=verify-full, which authenticates the server',
        ]),
    ...[...new Set(names)].filter((name) => !supported.has(name)).map(refusal),
  ]
}

/** A name that is no usual parameter name can be a part of a password with characters that should be encoded. */
function refusal(name: string): string {
  if (!/^[a-z][a-z_]{0,39}$/.test(name)) return 'contains an unknown parameter; remove it'
  return `${name}: ${Object.hasOwn(advice, name) ? advice[name] : 'is not supported; remove it'}`
}

function rootCertificateProblems(address: DatabaseAddress | undefined): readonly string[] {
  if (address === undefined || address.rootCertificate === null) return []
  try {
    readFileSync(address.rootCertificate)
    return []
  } catch {
    return ['sslrootcert: the file cannot be read']
  }
}
