import type { RequestLogEntry } from './request-log.ts'
import type { Credentials } from './signature.ts'

export interface ObjectStoreOptions {
  /** Where objects are kept; made when missing. For one store at a time: what it finds half-written, it clears. */
  readonly directory: string
  /** The buckets there are: 3–63 lower-case letters, digits and hyphens. No others can be made. */
  readonly buckets: readonly string[]
  /** Every pair may read and write every bucket; nobody may delete. */
  readonly credentials: readonly Credentials[]
  /** Absent or 0 takes a free port. */
  readonly port?: number
  /** The address to listen on, `127.0.0.1` when absent. */
  readonly host?: string
  /** The region signatures must name, `us-east-1` when absent. */
  readonly region?: string
  /** Origins whose pages may GET, HEAD and PUT, such as `http://localhost:8080`; none when absent. */
  readonly corsOrigins?: readonly string[]
  /** Decides the age of signatures and the dates of objects; the system's clock when absent. */
  readonly clock?: () => Date
  /** Hears of each request when it has been answered. */
  readonly log?: (entry: RequestLogEntry) => void
}

/** Completes the options. Throws a `TypeError` naming the option that cannot be used. */
export function resolveOptions(options: ObjectStoreOptions): Required<ObjectStoreOptions> {
  const { buckets, credentials, corsOrigins = [] } = options
  if (options.directory === '') throw unusable('directory')
  if (buckets.length === 0 || !buckets.every(isBucketName)) throw unusable('buckets')
  if (credentials.length === 0 || !credentials.every(isUsable)) throw unusable('credentials')
  if (!corsOrigins.every(isOrigin)) throw unusable('corsOrigins')
  return {
    ...options,
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    region: options.region ?? 'us-east-1',
    corsOrigins,
    clock: options.clock ?? (() => new Date()),
    log: options.log ?? (() => {}),
  }
}

const unusable = (name: keyof ObjectStoreOptions): TypeError =>
  new TypeError(`startObjectStore: the option ${name} cannot be used.`)

function isBucketName(name: string): boolean {
  return /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(name)
}

/** A slash in an access key id would make the credential scope ambiguous. */
function isUsable({ accessKeyId, secretAccessKey }: Credentials): boolean {
  return /^[^\s/,]+$/.test(accessKeyId) && secretAccessKey !== ''
}

/** Exactly what a browser sends as `Origin`: so neither `*` nor a path. */
function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
