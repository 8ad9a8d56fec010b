import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { CoreError } from '../errors.ts'

/** The keys an issuer signs with, fetched when first needed and again when they are old. */
export interface IssuerKeys {
  /**
   * Finds the key a token names.
   * @throws {CoreError} service.unavailable when the keys cannot be had or cannot be used: not the token's fault
   * @throws {JOSEError} when the issuer has no such key
   */
  readonly find: JWTVerifyGetKey
  /** Grows whenever the issuer's keys turn out to have changed: what was verified before is to be verified anew. */
  readonly generation: number
  /** Starts to fetch the keys again when they are old. Does not wait for them. */
  keepFresh(): void
  /**
   * Resolves when the issuer answers now, or did a moment ago.
   * @throws {CoreError} service.unavailable
   */
  reach(): Promise<void>
}

export interface IssuerKeysOptions {
  readonly issuer: string
  readonly now: () => number
  /** For metadata and keys together; 5 s when absent. */
  readonly timeoutMs?: number
}

/** How long a key the issuer has withdrawn may still be trusted. */
const maxAgeMs = 10 * 60_000

/** An unknown key asks for a new set at most this often, or anybody could make us flood the issuer. */
const unknownKeyPauseMs = 30_000

/** How old an answer may be that a health probe gets: probes come often, and from anybody. */
const reachedPauseMs = 5_000

/** After a failure, as long as its answer asks callers to wait (`Retry-After: 1`). */
const failurePauseMs = 1_000

interface HeldKeys {
  readonly find: JWTVerifyGetKey
  readonly text: string
  readonly fetchedAtMs: number
}

/**
 * Reads the issuer's metadata (OpenID Connect Discovery 1.0 §4) and its key set (RFC 7517), at the first token and
 * not before: a host starts while its issuer does not answer. However many tokens wait, one fetch is under way.
 */
export function createIssuerKeys({ issuer, now, timeoutMs = 5_000 }: IssuerKeysOptions): IssuerKeys {
  let held: HeldKeys | undefined
  let failure: { readonly error: unknown; readonly atMs: number } | undefined
  let fetching: Promise<HeldKeys> | undefined
  let generation = 0

  // A clock set back makes the past look like the future: without the 0, we would wait for it to come again.
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

  return {
    async find(header, token) {
      const keys = held !== undefined && isFresh() ? held : await fetchAgain()
      try {
        return await keys.find(header, token)
      } catch (error) {
        const mayBeNew = error instanceof errors.JWKSNoMatchingKey
        if (!mayBeNew || isWithin(keys.fetchedAtMs, unknownKeyPauseMs)) throw error
        return (await fetchAgain()).find(header, token)
      }
    },
    get generation() {
      return generation
    },
    keepFresh() {
      // Whoever needs the keys hears of the failure; here, a token that was verified before is as good as it was.
      if (!isFresh()) fetchAgain().catch(() => {})
    },
    async reach() {
      if (held === undefined || !isWithin(held.fetchedAtMs, reachedPauseMs)) await fetchAgain()
    },
  }
}

/** Of what a key set refuses, only these say something of the token; a key that cannot be used is the issuer's. */
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

/** What of the issuer's metadata is used. */
interface Metadata {
  readonly issuer?: unknown
  readonly jwks_uri?: unknown
}

async function fetchKeys(issuer: string, signal: AbortSignal): Promise<Pick<HeldKeys, 'find' | 'text'>> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const metadata = JSON.parse(await fetchText(address, signal)) as Metadata
  const text = await fetchText(keysAddress(issuer, metadata), signal)
  return { find: findIn(JSON.parse(text) as JSONWebKeySet), text }
}

function keysAddress(issuer: string, metadata: Metadata): string {
  // Discovery 1.0 §4.3: anything but the very issuer that was asked may be somebody else's metadata.
  if (metadata.issuer !== issuer) throw new Error('The issuer publishes the metadata of another issuer.')
  const address = typeof metadata.jwks_uri === 'string' ? URL.parse(metadata.jwks_uri) : null
  if (address === null) throw new Error('The issuer publishes no jwks_uri.')
  if (issuer.startsWith('https:') && address.protocol !== 'https:') {
    throw new Error('The issuer has its keys fetched without TLS.')
  }
  return address.href
}

async function fetchText(address: string, signal: AbortSignal): Promise<string> {
  // A redirect could lead to whatever answers inside our network; an issuer has no need of one.
  const response = await fetch(address, {
    signal,
    redirect: 'error',
    headers: { Accept: 'application/json' },
  })
  if (response.status !== 200) throw new Error(`The identity provider answered ${response.status}.`)
  return response.text()
}
