import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createIssuerKeys, type IssuerKeys } from '../../src/identity/issuer-keys.ts'
import { createTokenVerifier, type TokenVerifier } from '../../src/identity/verify-token.ts'
import { createSigningKey, type ScriptedIssuer, startScriptedIssuer } from './scripted-issuer.ts'

const key = await createSigningKey('key')
const rsa = await createSigningKey('rsa', 'RS256')
const stranger = await createSigningKey('key')
let issuer: ScriptedIssuer
let oidc: ScriptedIssuer['oidc']
let nowMs: number
let verifiedCount: number
let verifyToken: TokenVerifier

const now = () => nowMs

/** Counts the verifications. A remembered token is not verified again. */
function counting(keys: IssuerKeys): IssuerKeys {
  return {
    find: (header, token) => {
      verifiedCount += 1
      return keys.find(header, token)
    },
    get generation() {
      return keys.generation
    },
    keepFresh: keys.keepFresh,
    reach: keys.reach,
  }
}

beforeAll(async () => {
  issuer = await startScriptedIssuer(key, rsa)
  oidc = issuer.oidc
})
beforeEach(() => {
  nowMs = Date.parse('2026-01-31T12:00:00.000Z')
  verifiedCount = 0
  issuer.publish(key, rsa)
  verifyToken = createTokenVerifier({
    oidc,
    now,
    keys: counting(createIssuerKeys({ issuer: oidc.issuer, now })),
    rememberedMax: 10,
  })
})
afterAll(() => issuer.stop())

const seconds = () => nowMs / 1000
const claims = (more: JWTPayload = {}): JWTPayload => ({
  iss: oidc.issuer,
  aud: oidc.audience,
  sub: 'clerk',
  exp: seconds() + 60,
  ...more,
})
/** Returns the claims without the claim `name`. */
const without = (name: string): JWTPayload => {
  const { [name]: _, ...rest } = claims()
  return rest
}
const refused = expect.objectContaining({ code: 'auth.required' })

/** Replaces one of the three parts of a token. */
function withPart(token: string, index: number, value: object): string {
  return token
    .split('.')
    .map((part, at) => (at === index ? Buffer.from(JSON.stringify(value)).toString('base64url') : part))
    .join('.')
}

test('a valid token returns the claims of its bearer', async () => {
  const token = await key.sign(
    claims({ name: ' Ada Lovelace ', email: 'ada@example.com', roles: ['platform-admin', 7, null] }),
  )
  expect(await verifyToken(token)).toEqual({
    subject: 'clerk',
    email: 'ada@example.com',
    displayName: 'Ada Lovelace',
    defaultName: 'ada@example.com',
    roles: ['platform-admin'],
    expiresAtMs: nowMs + 60_000,
  })
})

test('a name or an address of several lines counts as absent', async () => {
  const token = await key.sign(
    claims({ name: 'A\r\nB', preferred_username: 'ada', email: 'a\r\nb@example.com' }),
  )
  expect(await verifyToken(token)).toMatchObject({ displayName: 'ada', email: null })
})

test.each(['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'])(
  'a token with the algorithm %s is accepted',
  async (alg) => {
    const other = await createSigningKey('other', alg)
    issuer.publish(other)
    expect(await verifyToken(await other.sign(claims()))).toMatchObject({ subject: 'clerk' })
  },
)

test.each([
  ['of another issuer', () => key.sign(claims({ iss: `${oidc.issuer}/` }))],
  ['for another audience', () => key.sign(claims({ aud: 'another' }))],
  ['without an audience', () => key.sign(without('aud'))],
  ['without an issuer', () => key.sign(without('iss'))],
  ['without a subject', () => key.sign(without('sub'))],
  ['without an expiry', () => key.sign(without('exp'))],
  ['with an expiry as text', () => key.sign({ ...claims(), exp: '2099-01-01' as never })],
  ['that expires now', () => key.sign(claims({ exp: seconds() }))],
  ['that expired long ago', () => key.sign(claims({ exp: 0 }))],
  ['that is not valid yet', () => key.sign(claims({ nbf: seconds() + 6 }))],
  ['with a blank subject', () => key.sign(claims({ sub: ' ' }))],
  ['with a subject that cannot be stored', () => key.sign(claims({ sub: 'a\0b' }))],
  ['with half a surrogate pair in the subject', () => key.sign(claims({ sub: 'a\ud800' }))],
  ['with a subject that is too long', () => key.sign(claims({ sub: 'a'.repeat(256) }))],
  ['with a subject that is not text', () => key.sign({ ...claims(), sub: ['clerk'] as never })],
  ['without a signature', async () => new UnsecuredJWT(claims()).encode()],
  ['signed by an unpublished key', () => stranger.sign(claims())],
  ['signed by a key with an unknown id', () => stranger.sign(claims(), { kid: 'unknown' })],
  ['that contains its own key', () => stranger.sign(claims(), { jwk: stranger.jwk })],
  ['with the type of a logout token', () => key.sign(claims(), { typ: 'logout+jwt' })],
  ['with the type of a DPoP proof', () => key.sign(claims(), { typ: 'dpop+jwt' })],
  ['with a number as its type', () => key.sign(claims(), { typ: 5 as never })],
  ['with a list as its type', () => key.sign(claims(), { typ: ['JWT'] as never })],
  ['with an object as its type', () => key.sign(claims(), { typ: {} as never })],
  ['with null as its type', () => key.sign(claims(), { typ: null as never })],
  ['with a number as its key id', () => key.sign(claims(), { kid: 5 as never })],
  ['with replaced claims', async () => withPart(await key.sign(claims()), 1, claims({ sub: 'admin' }))],
  ['with a replaced header', async () => withPart(await key.sign(claims()), 0, { alg: 'none' })],
  ['with its signature removed', async () => (await key.sign(claims())).replace(/[^.]+$/, '')],
  ['that is malformed', async () => 'not.a.token'],
  ['that is a word', async () => 'letmein'],
  ['that is empty', async () => ''],
])('a token %s is rejected', async (_, make) => {
  await expect(verifyToken(await make())).rejects.toEqual(refused)
})

test('a public key is not accepted as an HMAC secret', async () => {
  const { kid: _, ...jwk } = rsa.jwk
  const published = createPublicKey({ key: jwk as never, format: 'jwk' })
  const pem = published.export({ type: 'spki', format: 'pem' })
  const der = published.export({ type: 'spki', format: 'der' })
  for (const secret of [Buffer.from(pem), der, Buffer.from(JSON.stringify(rsa.jwk))]) {
    for (const kid of ['rsa', undefined]) {
      const header = { alg: 'HS256', ...(kid === undefined ? {} : { kid }) }
      const token = await new SignJWT(claims()).setProtectedHeader(header).sign(secret)
      await expect(verifyToken(token)).rejects.toEqual(refused)
    }
  }
})

test('an address of keys in a token is ignored', async () => {
  const theirs = await startScriptedIssuer(stranger)
  const jku = `${theirs.oidc.issuer}/keys`
  await expect(verifyToken(await stranger.sign(claims(), { jku, x5u: jku }))).rejects.toEqual(refused)
  expect(theirs.asked).toEqual([])
  await theirs.stop()
})

test('a token is accepted up to five seconds before it becomes valid', async () => {
  expect(await verifyToken(await key.sign(claims({ nbf: seconds() + 5 })))).toMatchObject({
    subject: 'clerk',
  })
})

test.each(['at+jwt', 'application/at+jwt', 'JWT'])('a token of the type %s is accepted', async (typ) => {
  expect(await verifyToken(await key.sign(claims(), { typ }))).toMatchObject({ subject: 'clerk' })
})

test('a token with several audiences is accepted if one audience matches', async () => {
  const token = await key.sign(claims({ aud: ['another', oidc.audience] }))
  expect(await verifyToken(token)).toMatchObject({ subject: 'clerk' })
})

test.each<[unknown, readonly string[]]>([
  ['platform-admin', ['platform-admin']],
  ['admin auditor', ['admin auditor']],
  [
    ['one', 7, null, 'two'],
    ['one', 'two'],
  ],
  [{ 'platform-admin': true }, []],
  [7, []],
  [null, []],
])('the roles claim %j contains the roles %j', async (roles, expected) => {
  expect(await verifyToken(await key.sign(claims({ roles })))).toMatchObject({ roles: expected })
})

test.each<[path: string, claims: JWTPayload, roles: readonly string[]]>([
  ['realm_access.roles', { realm_access: { roles: ['a', 'b'] } }, ['a', 'b']],
  ['resource_access.api.roles', { resource_access: { api: { roles: 'a' } } }, ['a']],
  ['https://trade.example.com/roles', { 'https://trade.example.com/roles': ['a'] }, ['a']],
  ['realm_access.roles', { 'realm_access.roles': ['whole'], realm_access: { roles: ['inner'] } }, ['whole']],
  ['realm_access.roles', { realm_access: null }, []],
  ['realm_access.roles', { realm_access: 'roles' }, []],
  ['realm_access.roles', { roles: ['a'] }, []],
  ['roles.0', { roles: ['a'] }, ['a']],
  ['realm_access', { realm_access: { roles: ['a'] } }, []],
  ['https://example.com/app.roles', { 'https://example.com/app': { roles: ['a'] } }, ['a']],
  ['resource_access.my.api.roles', { resource_access: { 'my.api': { roles: ['a'] }, my: {} } }, ['a']],
  ['.roles', { '': { roles: ['a'] } }, []],
  ['constructor.name', {}, []],
  ['sub.length', {}, []],
])('the path %s in the claims %j selects the roles %j', async (rolesClaim, more, roles) => {
  const verify = createTokenVerifier({
    oidc: { ...oidc, rolesClaim },
    now,
    keys: createIssuerKeys({ issuer: oidc.issuer, now }),
  })
  expect(await verify(await key.sign(claims(more)))).toMatchObject({ roles })
})

test.each([
  ['the user name if the token has no name', { preferred_username: 'ada', email: 'ada@example.com' }, 'ada'],
  ['null if the name is blank', { name: ' ', email: 'ada@example.com' }, null],
  ['the user name if the name cannot be stored', { name: 'a\0b', preferred_username: 'ada' }, 'ada'],
  ['the user name if the name is too long', { name: 'x'.repeat(321), preferred_username: 'ada' }, 'ada'],
  ['null if the name is not text', { name: { first: 'Ada' } }, null],
  ['null if the token has none of these claims', {}, null],
])('the display name is %s', async (_, more, displayName) => {
  expect(await verifyToken(await key.sign(claims(more)))).toMatchObject({ displayName })
})

test.each([
  ['invisible', '\u200b\u2060\ufeff\u00ad'],
  ['a blank letter', '\u3164'],
  ['a blank pattern of Braille', '\u2800\u202a'],
])('a name that is %s counts as absent', async (_, name) => {
  const token = await key.sign(claims({ name, preferred_username: 'ada' }))
  expect(await verifyToken(token)).toMatchObject({ displayName: 'ada' })
})

test('a name of a token does not change the direction of the text around it', async () => {
  const token = await key.sign(claims({ name: '\u202eAda\u202c \u2067Lovelace\u2069' }))
  expect(await verifyToken(token)).toMatchObject({ displayName: 'Ada Lovelace' })
})

test('white space in a subject is kept', async () => {
  expect((await verifyToken(await key.sign(claims({ sub: ' clerk' })))).subject).toBe(' clerk')
})

test('a token is verified once and then remembered', async () => {
  const token = await key.sign(claims())
  const asked = issuer.asked.length
  await verifyToken(token)
  await verifyToken(token)
  await verifyToken(token)
  expect(verifiedCount).toBe(1)
  expect(issuer.asked.length - asked).toBe(2)
})

test('a remembered token is rejected from its expiry on', async () => {
  const token = await key.sign(claims())
  await verifyToken(token)
  nowMs += 59_999
  await verifyToken(token)
  expect(verifiedCount).toBe(1)
  nowMs += 1
  await expect(verifyToken(token)).rejects.toEqual(refused)
  await expect(verifyToken(token)).rejects.toEqual(refused)
})

test('a remembered token is verified again after the keys have changed', async () => {
  const token = await key.sign(claims({ exp: seconds() + 3_600 }))
  const later = await rsa.sign(claims({ exp: seconds() + 3_600 }))
  await verifyToken(token)
  issuer.publish(rsa)
  nowMs += 10 * 60_000
  await verifyToken(later)
  await expect(verifyToken(token)).rejects.toEqual(refused)
})

test('a token is verified again if the keys have changed during its verification', async () => {
  const keys = counting(createIssuerKeys({ issuer: oidc.issuer, now }))
  let changeCount = 0
  const changing: IssuerKeys = {
    ...keys,
    async find(...call) {
      const found = await keys.find(...call)
      changeCount = 1
      return found
    },
    get generation() {
      return keys.generation + changeCount
    },
  }
  verifyToken = createTokenVerifier({ oidc, now, keys: changing })
  const token = await key.sign(claims())
  for (let turn = 0; turn < 3; turn += 1) await verifyToken(token)
  expect(verifiedCount).toBe(2)
})

test('a withdrawn key is detected even if only remembered tokens are used', async () => {
  const token = await key.sign(claims({ exp: seconds() + 3_600 }))
  await verifyToken(token)
  issuer.publish(rsa)
  nowMs += 10 * 60_000
  await expect(verifyToken(token)).rejects.toEqual(refused)
})

test('a token that names a key which cannot be used is a fault of the issuer', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const short = { jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'short', use: 'sig' }, sign: key.sign }
  issuer.publish(key, short)
  const token = withPart(await key.sign(claims()), 0, { alg: 'RS256', kid: 'short' })
  await expect(verifyToken(token)).rejects.toMatchObject({ code: 'service.unavailable', status: 503 })
})

test('while the issuer does not answer, remembered tokens are accepted and other tokens cause service.unavailable', async () => {
  const token = await key.sign(claims({ exp: seconds() + 3_600 }))
  const unknown = await key.sign(claims({ exp: seconds() + 3_601 }))
  await verifyToken(token)
  await issuer.stop()
  nowMs += 10 * 60_000
  expect(await verifyToken(token)).toMatchObject({ subject: 'clerk' })
  await expect(verifyToken(unknown)).rejects.toMatchObject({ code: 'service.unavailable', status: 503 })
  await issuer.start()
  nowMs += 1_000
  expect(await verifyToken(unknown)).toMatchObject({ subject: 'clerk' })
})

test('malformed and unsigned tokens are rejected even if the issuer does not answer', async () => {
  await issuer.stop()
  await expect(verifyToken('not.a.token')).rejects.toEqual(refused)
  await expect(verifyToken(new UnsecuredJWT(claims()).encode())).rejects.toEqual(refused)
  await issuer.start()
})

test('the number of remembered tokens is limited, and the oldest tokens are forgotten first', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 25 }, (_, jti) => key.sign(claims({ jti: `${jti}` }))),
  )
  for (const token of tokens) await verifyToken(token)
  verifiedCount = 0
  for (const token of tokens.slice(-10)) await verifyToken(token)
  expect(verifiedCount).toBe(0)
  for (const token of tokens.slice(0, 15)) await verifyToken(token)
  expect(verifiedCount).toBe(15)
})

test('invalid tokens do not displace remembered tokens', async () => {
  const token = await key.sign(claims())
  await verifyToken(token)
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const forged = await stranger.sign(claims({ jti: `${attempt}` }))
    await expect(verifyToken(forged)).rejects.toEqual(refused)
  }
  verifiedCount = 0
  await verifyToken(token)
  expect(verifiedCount).toBe(0)
})
