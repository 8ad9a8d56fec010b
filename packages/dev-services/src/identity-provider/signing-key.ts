import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, exportJWK, type JWK } from 'jose'

/** A private RSA key for RS256. `kid` is its thumbprint (RFC 7638). Printing the object does not show the key. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** Creates a new 2048-bit key. */
export async function createSigningKey(): Promise<SigningKey> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return named(privateKey)
}

/** Loads the key from `directory`, or creates it there if it is missing. Tokens therefore stay valid after a restart. */
export async function loadSigningKey(directory: string): Promise<SigningKey> {
  const file = join(directory, 'signing-key.pem')
  const kept = await readFile(file).catch(() => undefined)
  if (kept) return named(createPrivateKey(kept))
  const key = await createSigningKey()
  await mkdir(directory, { recursive: true })
  const unfinished = `${file}.${process.pid}`
  await writeFile(unfinished, key.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  await rename(unfinished, file)
  return key
}

/** Returns the JWK for signing. oidc-provider publishes only its public part. */
export async function privateJwk({ privateKey, kid }: SigningKey): Promise<JWK> {
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
}

async function named(privateKey: KeyObject): Promise<SigningKey> {
  return { kid: await calculateJwkThumbprint(await exportJWK(privateKey)), privateKey }
}
