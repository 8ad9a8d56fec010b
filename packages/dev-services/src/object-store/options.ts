import type { RequestLogEntry } from './request-log.ts'
import type { Credentials } from './signature.ts'

/** The buckets and keys of the store, and the address that it listens on. */
export interface ObjectStoreOptions {
  /** The folder of the objects, created if missing. Several processes can use it, but only one store in each of them. */
  readonly directory: string
  /** Deletes the folder first, once the store has its port. Default: false. */
  readonly startsEmpty?: boolean
  /** The names of all buckets: 3–63 lower-case letters, digits and hyphens. Requests cannot create buckets. */
  readonly buckets: readonly string[]
  /** The access keys. Each key can read and write all buckets. */
  readonly credentials: readonly Credentials[]
  /** The port. Default: 0, which selects a free port. */
  readonly port?: number
  /** The address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** The required region of signatures. Default `us-east-1`. */
  readonly region?: string
  /** The page origins that can GET, HEAD and PUT, such as `http://localhost:8080`, or `http://localhost:*` for any port. Default none. */
  readonly corsOrigins?: readonly string[]
  /** The clock for the age of signatures and the dates of objects. Default: the system clock. */
  readonly clock?: () => Date
  /** Receives an entry for every request after its response. */
  readonly log?: (entry: RequestLogEntry) => void
}

/** Validates the options and adds defaults. Throws a `TypeError` naming an invalid option. */
export function resolveOptions(options: ObjectStoreOptions): Required<ObjectStoreOptions> {
  const { buckets, credentials, corsOrigins = [] } = options
  if (options.directory === '') throw unusable('directory')
  if (buckets.length === 0 || !buckets.every(isBucketName)) throw unusable('buckets')
  if (credentials.length === 0 || !credentials.every(isUsable)) throw unusable('credentials')
  if (!corsOrigins.every(isOrigin)) throw unusable('corsOrigins')
  return {
    ...options,
    startsEmpty: options.startsEmpty ?? false,
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    region: options.region ?? 'us-east-1',
    corsOrigins,
    clock: options.clock ?? (() => new Date()),
    log: options.log ?? (() => {}),
  }
}

const unusable = (name: keyof ObjectStoreOptions): TypeError =>
  new TypeError(`startObjectStore: the option ${name} is invalid.`)

function isBucketName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(name)
}

/** A slash in an access key id would make the credential scope ambiguous. */
function isUsable({ accessKeyId, secretAccessKey }: Credentials): boolean {
  return /^[^\s/,]+$/.test(accessKeyId) && secretAccessKey !== ''
}

/** Returns whether the text has the exact format of the `Origin` header, with a port or `*` in its place. Rejects URLs with a path. */
function isOrigin(text: string): boolean {
  const origin = text.replace(/:\*$/, ':1')
  return URL.canParse(origin) && new URL(origin).origin === origin
}
