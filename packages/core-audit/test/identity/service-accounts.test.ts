import type { MeAccess } from '@vertical-kit/core-audit/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json, useSecurityHost } from './harness.ts'
import { createSigningKey, type ScriptedIssuer, startScriptedIssuer } from './scripted-issuer.ts'
import { tokenHost } from './token-hosts.ts'

const host = useSecurityHost()
const key = await createSigningKey('key')
let issuer: ScriptedIssuer
let request: ReturnType<typeof tokenHost>['request']

beforeAll(async () => {
  issuer = await startScriptedIssuer(key)
  await host.makeRole('importer', ['system.roles.manage'])
  const roleMap = new Map([['importers', 'importer']])
  request = tokenHost(host, { ...issuer.oidc, roleMap }).request
})
afterAll(() => issuer.stop())

/** Returns a token of the client credentials grant (RFC 9068). It has no profile of a person. */
const tokenOf = (client: string) =>
  key.sign({
    ...{ iss: issuer.oidc.issuer, aud: issuer.oidc.audience, roles: ['importers'] },
    ...{ sub: client, client_id: client, exp: Math.floor(Date.now() / 1000) + 600 },
  })

const access = async (client: string) => json<MeAccess>(await request(await tokenOf(client)))

/** Adds a role and returns the author of this change. */
async function authorOf(client: string, code: string) {
  const body = JSON.stringify({ code, name: code })
  const role = await json<{ id: string }>(
    await request(await tokenOf(client), '/api/security/roles', { method: 'POST', body }),
  )
  const [event] = await host.eventsOf(role.id)
  return event?.actor_user_id
}

test('a service account is the author of its changes, with the name of its client', async () => {
  const userId = await authorOf('nightly-import', 'by-client')
  expect(await access('nightly-import')).toMatchObject({
    userId,
    subject: 'nightly-import',
    displayName: 'service-account-nightly-import',
    email: null,
    roles: [{ code: 'importer', source: 'token' }],
  })
})

test('an invited service account keeps the name of its invitation', async () => {
  const body = { subject: 'archive', email: null, displayName: 'Archive', roleIds: [] }
  const { id } = await json<{ id: string }>(await host.root('POST', '/api/security/users', { body }))
  expect(await authorOf('archive', 'by-archive')).toBe(id)
  expect(await access('archive')).toMatchObject({ userId: id, displayName: 'Archive' })
})
