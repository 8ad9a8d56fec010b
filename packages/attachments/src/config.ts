import type { EnvironmentReader } from '@vertical-kit/core-audit/host'
import type { ClamdAddress } from './scanning/clamd.ts'

/** The addresses of the object store, and the credentials that the service uses there. */
export interface StorageConfig {
  /** The origin (`https://host[:port]`) that the service calls. */
  readonly internalEndpoint: string
  /** The origin that browsers call. All URLs are signed for this origin. */
  readonly publicEndpoint: string
  readonly region: string
  readonly bucket: string
  readonly accessKey: string
  readonly secretKey: string
  /** The maximum duration of one call to the store, including retries. */
  readonly requestTimeoutMs: number
  /** Whether `storeAnchor` of the module stores anchors of the audit log; false when absent. */
  readonly storesAuditAnchors?: boolean
}

/** The limits of files and the address of their store: `readAttachmentsConfig` reads the section `Attachments__`. */
export interface AttachmentsConfig {
  readonly maxSizeBytes: number
  /** The maximum number of attachments per business object, including uploads in progress. */
  readonly maxActivePerObject: number
  /** The maximum number of uploads in progress per user, on all replicas together; null if there is none. */
  readonly maxPendingPerUser: number | null
  readonly uploadLifetimeMs: number
  readonly downloadLifetimeMs: number
  /** The time after which a reserved upload can no longer be completed. */
  readonly pendingStaleAgeMs: number
  /**
   * Duration of the lease of a completion, which is renewed while the store works; 15 s when absent. After a process dies,
   * the uploads that it was completing wait until their leases expire.
   */
  readonly sealLeaseMs?: number
  readonly expirationBatchSize: number
  /** The ClamAV daemon that scans uploads; `null` if there is none. */
  readonly clamd: ClamdAddress | null
  /** The maximum duration of one scan. */
  readonly scanTimeoutMs: number
  /** Whether uploads expire even while the feature is off. */
  readonly isUploadExpirationEnabled: boolean
  /** `null` while the feature is off. The storage settings are then not validated, and no store is called. */
  readonly storage: StorageConfig | null
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const storagePrefix = 'Attachments__Storage__'
const anchorsKey = `${storagePrefix}AuditAnchors`
const storageKeys = [
  ...['InternalEndpoint', 'PublicEndpoint', 'Region', 'Bucket', 'AccessKey', 'SecretKey'],
  ...['RequestTimeoutSeconds', 'AllowInsecureHttp', 'AuditAnchors'],
].map((name) => `${storagePrefix}${name}`)

/**
 * Reads the `Attachments__…` keys. If `isEnabled` is true, the storage keys are validated, and keys without a default
 * are required. Otherwise, the storage keys are allowed and ignored, but `AuditAnchors` must not be true: a host without the
 * feature would silently store no anchors.
 */
export function readAttachmentsConfig(
  env: EnvironmentReader,
  { isEnabled }: { readonly isEnabled: boolean },
): AttachmentsConfig {
  const uploadLifetimeMs = env.durationMs('Attachments__UploadLifetime', {
    default: 10 * minuteMs,
    min: minuteMs,
    max: hourMs,
  })
  const maxPendingPerUser = env.integer('Attachments__MaxPendingPerUser', { default: 0, min: 0, max: 10_000 })
  if (!isEnabled) ignoreStorage(env)
  return {
    maxSizeBytes: env.integer('Attachments__MaxSizeBytes', {
      default: 50 * 1024 ** 2,
      min: 1,
      max: 5 * 1024 ** 3,
    }),
    maxActivePerObject: env.integer('Attachments__MaxActivePerObject', { default: 100, min: 1, max: 1_000 }),
    maxPendingPerUser: maxPendingPerUser === 0 ? null : maxPendingPerUser,
    uploadLifetimeMs,
    downloadLifetimeMs: env.durationMs('Attachments__DownloadLifetime', {
      default: 3 * minuteMs,
      min: 30 * secondMs,
      max: 15 * minuteMs,
    }),
    pendingStaleAgeMs: env.durationMs('Attachments__PendingStaleAge', {
      default: dayMs,
      // If an upload ends just before its URL expires, the client has five more minutes to complete it.
      min: uploadLifetimeMs + 5 * minuteMs,
      max: 7 * dayMs,
    }),
    clamd: readClamdAddress(env),
    scanTimeoutMs: env.durationMs('Attachments__ScanTimeout', {
      default: 5 * minuteMs,
      min: 10 * secondMs,
      max: hourMs,
    }),
    expirationBatchSize: env.integer('Attachments__ExpirationBatchSize', { default: 25, min: 1, max: 100 }),
    isUploadExpirationEnabled: env.boolean('Attachments__UploadExpirationEnabled', { default: false }),
    storage: isEnabled ? readStorageConfig(env) : null,
  }
}

/** `host:port`, `[IPv6]:port`, the path of a Unix socket, or nothing. */
const clamdPattern = /^(?:|\/.+|(?:[\w.-]+|\[[\da-f:]+\]):\d{1,5})$/i

function readClamdAddress(env: EnvironmentReader): ClamdAddress | null {
  const expected = 'host:port or the path of a Unix socket'
  const raw = env.string('Attachments__Clamd', { default: '', pattern: clamdPattern, expected })
  if (raw === '') return null
  if (raw.startsWith('/')) return { path: raw }
  const colon = raw.lastIndexOf(':')
  const port = Number(raw.slice(colon + 1))
  if (port < 1 || port > 65_535) env.problem('Attachments__Clamd', `expected ${expected}`)
  return { host: raw.slice(0, colon).replace(/^\[|\]$/g, ''), port }
}

function ignoreStorage(env: EnvironmentReader): void {
  env.allow(...storageKeys)
  if (env.boolean(anchorsKey, { default: false })) {
    env.problem(anchorsKey, 'stores no anchors without FeatureManagement__Attachments=true')
  }
}

function readStorageConfig(env: EnvironmentReader): StorageConfig {
  const insecure = env.string(`${storagePrefix}AllowInsecureHttp`, {
    default: 'false',
    pattern: /^(?:true|false)$/i,
    expected: 'true or false',
  })
  // `env.string` has already reported an invalid value, so an http address must not be reported as a second problem.
  const allowsHttp = insecure.toLowerCase() !== 'false'
  const protocol = allowsHttp ? 'https?' : 'https'
  const endpoint = {
    // Rejects path, user, query, fragment and backslashes, because a URL parser would silently drop or rewrite them.
    pattern: new RegExp(`^${protocol}://(\\[[\\da-f:.]+\\]|[^\\s/?#@\\\\:\\[\\]]+)(:\\d{1,5})?/?$`, 'i'),
    expected: `an ${allowsHttp ? 'http or https' : 'https'} address without path, user, query or fragment`,
  }
  return {
    internalEndpoint: readOrigin(env, `${storagePrefix}InternalEndpoint`, endpoint),
    publicEndpoint: readOrigin(env, `${storagePrefix}PublicEndpoint`, endpoint),
    region: env.string(`${storagePrefix}Region`, {
      default: 'us-east-1',
      pattern: /^[\w-]+$/,
      expected: 'letters, digits, hyphens or underscores',
    }),
    bucket: env.string(`${storagePrefix}Bucket`, {
      default: 'vertical-kit-attachments',
      pattern: /^[a-z\d][a-z\d-]{1,61}[a-z\d]$/,
      expected: '3-63 lower-case letters, digits or hyphens, no hyphen at either end',
    }),
    accessKey: env.required(`${storagePrefix}AccessKey`),
    secretKey: env.required(`${storagePrefix}SecretKey`),
    requestTimeoutMs:
      secondMs * env.integer(`${storagePrefix}RequestTimeoutSeconds`, { default: 30, min: 1, max: 120 }),
    storesAuditAnchors: env.boolean(anchorsKey, { default: false }),
  }
}

function readOrigin(
  env: EnvironmentReader,
  key: string,
  form: { readonly pattern: RegExp; readonly expected: string },
): string {
  const raw = env.required(key, form)
  if (!form.pattern.test(raw)) return ''
  if (URL.canParse(raw)) return new URL(raw).origin
  env.problem(key, `expected ${form.expected}`)
  return ''
}
