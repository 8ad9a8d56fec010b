import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { CoreError } from '../errors.ts'

/** The signing keys of an issuer, fetched on first use and again when they are old. */
export interface IssuerKeys {
  /**
   * Finds the key that a token names.
   * @throws {CoreError} service.unavailable when the keys cannot be fetched or used, which is not a fault of the token
   * @throws {JOSEError} when the issuer has no such key
   */
  readonly find: JWTVerifyGetKey
  /** Increases when the issuer's keys change. Tokens that were verified before the change must then be verified again. */
  readonly generation: number
  /**
   * Starts to fetch the keys again if they are old, and returns the end of the fetch, unless the last one has failed: then, nobody
   * waits for the issuer.
   */
  keepFresh(): Promise<void> | undefined
  /**
   * Resolves when the issuer answers, or if it answered within the last 5 s.
   * @throws {CoreError} service.unavailable
   */
  reach(): Promise<void>
}

export interface IssuerKeysOptions {
  readonly issuer: string
  readonly now: () => number
  /** The limit for metadata and keys together; 5 s when absent. */
  readonly timeoutMs?: number
}

/** Maximum age of the keys: until then, a withdrawn key is still trusted. */
const maxAgeMs = 10 * 60_000

/**
 * Minimum time between two fetches because of unknown keys: otherwise forged tokens could make us flood the issuer. While forged
 * tokens arrive, tokens with a new key are refused for up to this time.
 */
const unknownKeyPauseMs = 5_000

/**
 * Maximum age of an answer of the issuer for a health probe. Probes reuse answers, because they are frequent and public.
 */
const reachedPauseMs = 5_000

/** The pause after a failed fetch. The error asks callers to wait for the same time (`Retry-After: 1`). */
const failurePauseMs = 1_000

interface HeldKeys {
  readonly find: JWTVerifyGetKey
  readonly text: string
  readonly fetchedAtMs: number
}

/**
 * Creates the keys of an issuer. The first token starts the fetch of the issuer's metadata (OpenID Connect Discovery 1.0
 * §4) and key set (RFC 7517), so a host can start while its issuer is unavailable. Concurrent callers share one fetch.
 */
export function createIssuerKeys({ issuer, now, timeoutMs = 5_000 }: IssuerKeysOptions): IssuerKeys {
  let held: HeldKeys | undefined
  let failure: { readonly error: unknown; readonly atMs: number } | undefined
  let fetching: Promise<HeldKeys> | undefined
  let generation = 0
  /** The last fetch for a token. Fetches for probes do not count: frequent probes would prevent every search for a new key. */
  let searchedAtMs = Number.NEGATIVE_INFINITY

  // If the clock is set back, ages are negative. Without the check for 0, we would not fetch until the clock catches up.
  const isWithin = (sinceMs: number, durationMs: number): boolean => {
    const ageMs = now() - sinceMs
    return ageMs >= 0 && ageMs < durationMs
  }
  const isFresh = (): boolean => held !== undefined && isWithin(held.fetchedAtMs, maxAgeMs)

  const refresh = async (): Promise<HeldKeys> => {
    try {
      const { find, text } = await fetchKeys(issuer, AbortSignal.timeout(timeoutMs))
      if (held !== undefined && held.text !== text) generation += 1
      held = { find, text, fetchedAtMs: now() }
      failure = undefined
      return held
    } catch (error) {
      failure = { error, atMs: now() }
      throw unavailable(error)
    } finally {
      fetching = undefined
    }
  }
  const fetchAgain = (): Promise<HeldKeys> => {
    if (fetching === undefined && failure !== undefined && isWithin(failure.atMs, failurePauseMs)) {
      return Promise.reject(unavailable(failure.error))
    }
    fetching ??= refresh()
    return fetching
  }

  const search = async (): Promise<HeldKeys> => {
    searchedAtMs = now()
    try {
      return await fetchAgain()
    } catch (error) {
      // It found nothing, so it does not delay the next one.
      searchedAtMs = Number.NEGATIVE_INFINITY
      throw error
    }
  }

  return {
    async find(header, token) {
      const keys = held !== undefined && isFresh() ? held : await search()
      try {
        return await keys.find(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        // After a rotation, many tokens name the new key at the same time. All of them wait for the first search.
        if (fetching === undefined && isWithin(searchedAtMs, unknownKeyPauseMs)) throw error
        return (await (fetching ?? search())).find(header, token)
      }
    },
    get generation() {
      return generation
    },
    keepFresh() {
      // Ignore the error: callers that need the keys receive it themselves, and tokens that were verified before remain
      // valid.
      if (isFresh()) return
      const hasFailed = failure !== undefined
      const fetched = fetchAgain().then(
        () => {},
        () => {},
      )
      return hasFailed ? undefined : fetched
    },
    async reach() {
      if (held === undefined || !isWithin(held.fetchedAtMs, reachedPauseMs)) await fetchAgain()
    },
  }
}

/** The errors of a key set that are faults of the token. An unusable key is a fault of the issuer. */
const ofToken = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]

function findIn(keySet: JSONWebKeySet): JWTVerifyGetKey {
  const find = createLocalJWKSet(keySet)
  return async (header, token) => {
    try {
      return await find(header, token)
    } catch (error) {
      throw ofToken.some((kind) => error instanceof kind) ? error : unavailable(error)
    }
  }
}

const unavailable = (cause: unknown): Error =>
  new CoreError('service.unavailable', { detail: 'The identity provider cannot be reached.', cause })

/** The fields of the issuer's metadata that we use. */
interface Metadata {
  readonly issuer?: unknown
  readonly jwks_uri?: unknown
}

async function fetchKeys(issuer: string, signal: AbortSignal): Promise<Pick<HeldKeys, 'find' | 'text'>> {
  const { text } = await fetchKeySet(issuer, signal)
  return { find: findIn(JSON.parse(text) as JSONWebKeySet), text }
}

interface KeySet {
  readonly text: string
  readonly keysAddress: string
}

async function fetchKeySet(issuer: string, signal: AbortSignal): Promise<KeySet> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const metadata = JSON.parse(await fetchText(address, signal)) as Metadata
  const keysAddress = keysAddressOf(issuer, metadata)
  return { keysAddress, text: await fetchText(keysAddress, signal) }
}

/** The public keys of an issuer, as published. */
export interface PublishedIssuer {
  /** The address of the keys. */
  readonly keysAddress: string
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** Fetches the metadata and the keys of an issuer, without remembering them. */
export async function fetchIssuer(issuer: string, signal: AbortSignal): Promise<PublishedIssuer> {
  const { text, keysAddress } = await fetchKeySet(issuer, signal)
  const { keys } = JSON.parse(text) as { readonly keys?: unknown }
  return { keysAddress, keys: Array.isArray(keys) ? keys : [] }
}

function keysAddressOf(issuer: string, metadata: Metadata): string {
  // Discovery 1.0 §4.3 requires the exact issuer: other metadata can belong to another party.
  if (metadata.issuer !== issuer) throw new Error('The issuer publishes the metadata of another issuer.')
  const address = typeof metadata.jwks_uri === 'string' ? URL.parse(metadata.jwks_uri) : null
  if (address === null) throw new Error('The issuer publishes no jwks_uri.')
  if (issuer.startsWith('https:') && address.protocol !== 'https:') {
    throw new Error('The issuer publishes its keys without TLS.')
  }
  return address.href
}

async function fetchText(address: string, signal: AbortSignal): Promise<string> {
  // Refuse redirects: they could lead to a server inside our network, and no issuer needs them.
  const response = await fetch(address, {
    signal,
    redirect: 'error',
    headers: { Accept: 'application/json' },
  })
  if (response.status !== 200) throw new Error(`The identity provider answered ${response.status}.`)
  return response.text()
}
