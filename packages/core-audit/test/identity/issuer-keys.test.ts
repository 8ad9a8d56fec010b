import type { JWTHeaderParameters } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createIssuerKeys } from '../../src/identity/issuer-keys.ts'
import {
  createSigningKey,
  keysPath,
  metadataPath,
  type ScriptedIssuer,
  startScriptedIssuer,
} from './scripted-issuer.ts'

const first = await createSigningKey('first')
const second = await createSigningKey('second')
let issuer: ScriptedIssuer
let nowMs: number
const now = () => nowMs

beforeEach(async () => {
  nowMs = Date.parse('2026-01-31T12:00:00.000Z')
  issuer = await startScriptedIssuer(first)
})
afterEach(() => issuer.stop())

const open = () => createIssuerKeys({ issuer: issuer.oidc.issuer, now })
const find = (keys: ReturnType<typeof open>, kid: string) =>
  keys.find({ alg: 'ES256', kid } as JWTHeaderParameters, { payload: '', signature: '' })

const unavailable = expect.objectContaining({ code: 'service.unavailable' })
const unknownKey = expect.objectContaining({ code: 'ERR_JWKS_NO_MATCHING_KEY' })

test('the issuer receives no request before the first token', () => {
  open()
  expect(issuer.asked).toEqual([])
})

test('concurrent tokens share one fetch', async () => {
  const keys = open()
  await Promise.all(Array.from({ length: 20 }, () => find(keys, 'first')))
  await find(keys, 'first')
  expect(issuer.asked).toEqual([metadataPath, keysPath])
})

test('the first token with a newly published key is accepted', async () => {
  const keys = open()
  await find(keys, 'first')
  issuer.publish(first, second)
  nowMs += 30_000
  await find(keys, 'second')
  expect(issuer.asked).toHaveLength(4)
})

test('concurrent tokens with a newly published key share one search', async () => {
  const keys = open()
  await find(keys, 'first')
  issuer.publish(first, second)
  nowMs += 30_000
  await Promise.all(Array.from({ length: 20 }, () => find(keys, 'second')))
  expect(issuer.asked).toHaveLength(4)
})

test('after a search that failed, tokens with a new key are unavailable, not refused, and are accepted soon', async () => {
  const keys = open()
  await find(keys, 'first')
  nowMs += 30_000
  issuer.answer(keysPath, { status: 500, body: 'down' })
  await expect(find(keys, 'second')).rejects.toEqual(unavailable)
  nowMs += 999
  await expect(find(keys, 'second')).rejects.toEqual(unavailable)
  issuer.publish(first, second)
  nowMs += 1
  await find(keys, 'second')
})

test('frequent probes do not delay the search for a new key', async () => {
  const keys = open()
  await find(keys, 'first')
  nowMs += 30_000
  await keys.reach()
  issuer.publish(first, second)
  nowMs += 1_000
  await find(keys, 'second')
})

test('unknown keys cause at most one fetch in 5 seconds', async () => {
  const keys = open()
  await find(keys, 'first')
  for (let token = 0; token < 50; token += 1) {
    nowMs += 99
    await expect(find(keys, `made-up-${token}`)).rejects.toEqual(unknownKey)
  }
  expect(issuer.asked).toHaveLength(2)
  nowMs += 50
  await expect(find(keys, 'made-up')).rejects.toEqual(unknownKey)
  expect(issuer.asked).toHaveLength(4)
})

test('a withdrawn key is trusted for at most ten minutes', async () => {
  const keys = open()
  await find(keys, 'first')
  issuer.publish(second)
  nowMs += 10 * 60_000 - 1
  await find(keys, 'first')
  nowMs += 1
  await expect(find(keys, 'first')).rejects.toEqual(unknownKey)
})

test('old keys are not used when the issuer does not answer', async () => {
  const keys = open()
  await find(keys, 'first')
  await issuer.stop()
  nowMs += 10 * 60_000
  await expect(find(keys, 'first')).rejects.toEqual(unavailable)
})

test('the generation increases only when the published keys change', async () => {
  const keys = open()
  const reload = async () => {
    nowMs += 10 * 60_000
    await find(keys, 'first')
    return keys.generation
  }
  const start = await reload()
  expect(await reload()).toBe(start)
  issuer.publish(first, second)
  expect(await reload()).toBe(start + 1)
  expect(await reload()).toBe(start + 1)
})

test('after a failed fetch, callers receive the failure for one second; then the keys are fetched again', async () => {
  const keys = open()
  issuer.answer(metadataPath, { status: 500, body: 'down' })
  await expect(find(keys, 'first')).rejects.toEqual(unavailable)
  nowMs += 999
  await expect(find(keys, 'first')).rejects.toEqual(unavailable)
  expect(issuer.asked).toEqual([metadataPath])
  issuer.answer(metadataPath, {
    body: JSON.stringify({ issuer: issuer.oidc.issuer, jwks_uri: `${issuer.oidc.issuer}${keysPath}` }),
  })
  nowMs += 1
  await find(keys, 'first')
  expect(issuer.asked).toEqual([metadataPath, metadataPath, keysPath])
})

test('a clock set back does not prolong a failure', async () => {
  const keys = open()
  issuer.answer(keysPath, { status: 500, body: 'down' })
  await expect(find(keys, 'first')).rejects.toEqual(unavailable)
  issuer.publish(first)
  nowMs -= 3_600_000
  await find(keys, 'first')
})

test('a closed port is reported as unavailable until it opens again', async () => {
  const keys = open()
  await issuer.stop()
  await expect(find(keys, 'first')).rejects.toEqual(unavailable)
  await issuer.start()
  nowMs += 1_000
  await find(keys, 'first')
})

// On a slow machine the timeout can expire before the request reaches the issuer, so the test does not check received
// requests.
test.each([metadataPath, keysPath])(
  'a fetch has a timeout when the issuer accepts the connection and never answers at %s',
  async (path) => {
    issuer.answer(path, undefined)
    const keys = createIssuerKeys({ issuer: issuer.oidc.issuer, now, timeoutMs: 50 })
    await expect(find(keys, 'first')).rejects.toEqual(unavailable)
  },
)

const json = (value: unknown) => ({ body: JSON.stringify(value) })

test.each([
  ['an error', metadataPath, () => ({ status: 503, body: '{}' })],
  ['text instead of JSON', metadataPath, () => ({ body: '<html></html>' })],
  ['JSON that is not an object', metadataPath, () => json(null)],
  [
    'the metadata of another issuer',
    metadataPath,
    (at: string) => json({ issuer: `${at}/`, jwks_uri: at + keysPath }),
  ],
  ['no address for its keys', metadataPath, (at: string) => json({ issuer: at })],
  ['an invalid address for its keys', metadataPath, (at: string) => json({ issuer: at, jwks_uri: 'keys' })],
  ['an error for keys', keysPath, () => ({ status: 404, body: '{"keys":[]}' })],
  ['text instead of JSON for keys', keysPath, () => ({ body: 'keys' })],
  ['an invalid key set', keysPath, () => json({ keys: 'first' })],
] as const)(
  'an issuer that publishes %s is reported as unavailable, and the token is not reported as invalid',
  async (_, path, answer) => {
    issuer.answer(path, answer(issuer.oidc.issuer))
    await expect(find(open(), 'first')).rejects.toEqual(unavailable)
  },
)

test.each([metadataPath, keysPath])('a redirect from %s is not followed', async (path) => {
  const inside = await startScriptedIssuer(first)
  issuer.answer(path, { status: 302, headers: { Location: `${inside.oidc.issuer}${path}` }, body: '' })
  await expect(find(open(), 'first')).rejects.toEqual(unavailable)
  expect(inside.asked).toEqual([])
  await inside.stop()
})

test('a private key in the key set is not used', async () => {
  const { jwk } = first
  issuer.answer(keysPath, json({ keys: [{ ...jwk, d: jwk.x }] }))
  await expect(find(open(), 'first')).rejects.toEqual(unavailable)
})

test('after a successful probe, further probes send no request for five seconds', async () => {
  const keys = open()
  await keys.reach()
  nowMs += 4_999
  await keys.reach()
  expect(issuer.asked).toHaveLength(2)
  await issuer.stop()
  nowMs += 1
  await expect(keys.reach()).rejects.toEqual(unavailable)
})
