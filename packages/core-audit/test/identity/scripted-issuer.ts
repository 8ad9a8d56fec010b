import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { OidcConfig } from '@vertical-kit/core-audit/identity'
import {
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from 'jose'

/** The answer to one request. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

/** An issuer on a real port. The test decides every answer. */
export interface ScriptedIssuer {
  readonly oidc: OidcConfig
  /** The requested paths, in order. */
  readonly asked: readonly string[]
  /** Publishes these keys from now on. */
  publish(...keys: readonly SigningKey[]): void
  /** Sets the answer for a path; `undefined` never answers. */
  answer(path: string, answer: Answer | undefined): void
  /** Closes the port. */
  stop(): Promise<void>
  /** Opens the port again. */
  start(): Promise<void>
}

export const metadataPath = '/.well-known/openid-configuration'
export const keysPath = '/keys'

export async function startScriptedIssuer(...keys: readonly SigningKey[]): Promise<ScriptedIssuer> {
  const asked: string[] = []
  const answers = new Map<string, Answer | undefined>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const answer = answers.has(path) ? answers.get(path) : { status: 404, body: '' }
    if (answer !== undefined) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body)
  })
  await listen(server, 0)
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const publish = (...published: readonly SigningKey[]) =>
    void answers.set(keysPath, { body: JSON.stringify({ keys: published.map((key) => key.jwk) }) })
  answers.set(metadataPath, { body: JSON.stringify({ issuer, jwks_uri: issuer + keysPath }) })
  publish(...keys)
  return {
    oidc: {
      ...{ issuer, audience: 'api', rolesClaim: 'roles', administratorRole: 'platform-admin' },
      ...{ roleMap: new Map(), furtherIssuers: new Map() },
    },
    asked,
    publish,
    answer: (path, answer) => void answers.set(path, answer),
    stop: () => close(server),
    start: () => listen(server, port),
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** A key pair with the public key that an issuer publishes. */
export interface SigningKey {
  readonly jwk: JWK
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
}

export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    sign: (claims, header) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  }
}
