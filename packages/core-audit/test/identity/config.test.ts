import { readConfiguration } from '@vertical-kit/core-audit/host'
import { readOidcConfig } from '@vertical-kit/core-audit/identity'
import { expect, test } from 'vitest'

const environment = { Oidc__Issuer: 'https://login.example.com/realms/trade', Oidc__Audience: 'trade' }

test('the configuration requires an issuer and an audience, and has defaults for the other keys', () => {
  expect(readConfiguration(environment, readOidcConfig)).toEqual({
    issuer: environment.Oidc__Issuer,
    audience: 'trade',
    rolesClaim: 'roles',
    administratorRole: 'platform-admin',
    roleMap: new Map(),
    furtherIssuers: new Map(),
  })
  expect(() => readConfiguration({}, readOidcConfig)).toThrow(
    expect.objectContaining({ problems: ['Oidc__Issuer: is required', 'Oidc__Audience: is required'] }),
  )
})

test.each([
  'https://[',
  'ftp://login.example.com',
  'login.example.com',
  'https://a.example/?x',
  'https://u:p@a.example',
])('the issuer %s is rejected', (issuer) => {
  expect(() => readConfiguration({ ...environment, Oidc__Issuer: issuer }, readOidcConfig)).toThrow(
    expect.objectContaining({ problems: ['Oidc__Issuer: expected an http(s) address'] }),
  )
})

const roleMapOf = (more: Record<string, string>) =>
  readConfiguration({ ...environment, ...more }, readOidcConfig).roleMap

test('groups are mapped to role codes by variables, and by JSON if a variable cannot contain their names', () => {
  const json = '{ "/trade/clerks": "trade.clerk", "9b6d2a40": "trade.viewer", "constructor": "trade.viewer" }'
  expect(
    roleMapOf({ Oidc__RoleMap: json, Oidc__RoleMap__auditors: ' trade.auditor ', Oidc__RoleMap__off: '' }),
  ).toEqual(
    new Map([
      ['/trade/clerks', 'trade.clerk'],
      ['9b6d2a40', 'trade.viewer'],
      ['constructor', 'trade.viewer'],
      ['auditors', 'trade.auditor'],
    ]),
  )
  expect(roleMapOf({ Oidc__RoleMap__a__b: 'trade.clerk' })).toEqual(new Map([['a__b', 'trade.clerk']]))
})

test.each([
  [{ Oidc__RoleMap__clerks: 'Trade Clerk' }, 'Oidc__RoleMap__clerks: expected a role code'],
  [{ oidc__rolemap__clerks: 'trade.clerk' }, 'oidc__rolemap__clerks: unknown key'],
  [{ Oidc__RoleMap__: 'trade.clerk' }, 'Oidc__RoleMap__: unknown key'],
  [{ Oidc__RoleMap: 'clerks' }, 'Oidc__RoleMap: expected a JSON object of groups and role codes'],
  [{ Oidc__RoleMap: '["clerks"]' }, 'Oidc__RoleMap: expected a JSON object of groups and role codes'],
  [{ Oidc__RoleMap: '{"clerks":7}' }, 'Oidc__RoleMap: expected a role code'],
  [
    { Oidc__RoleMap: '{"clerks":"a"}', Oidc__RoleMap__clerks: 'b' },
    'Oidc__RoleMap__clerks: this group is already mapped',
  ],
])('the role map %j is rejected', (more, problem) => {
  expect(() => roleMapOf(more as never)).toThrow(expect.objectContaining({ problems: [problem] }))
})

const partners = {
  Oidc__Issuers__partners__Issuer: 'https://partners.example.com/',
  Oidc__Issuers__partners__Audience: 'trade',
}

test('a further issuer has its own keys, and no role of it grants everything by default', () => {
  const read = (more: object) =>
    readConfiguration({ ...environment, ...partners, ...more }, readOidcConfig).furtherIssuers.get('partners')
  expect(read({})).toEqual({
    issuer: 'https://partners.example.com/',
    audience: 'trade',
    rolesClaim: 'roles',
    administratorRole: null,
    roleMap: new Map(),
  })
  const all = {
    Oidc__Issuers__partners__RolesClaim: 'groups',
    Oidc__Issuers__partners__AdministratorRole: 'root',
    Oidc__Issuers__partners__RoleMap__clerks: 'partner.clerk',
    Oidc__RoleMap__clerks: 'trade.clerk',
  }
  expect(read(all)).toMatchObject({
    rolesClaim: 'groups',
    administratorRole: 'root',
    roleMap: new Map([['clerks', 'partner.clerk']]),
  })
})

test.each([
  [{ Oidc__Issuers__partners__Isuer: 'x' }, 'Oidc__Issuers__partners__Isuer: unknown key'],
  [{ oidc__issuers__partners__Issuer: 'x' }, 'oidc__issuers__partners__Issuer: unknown key'],
  [
    { Oidc__Issuers__Partners__Issuer: 'x' },
    'Oidc__Issuers__Partners__Issuer: expected a name of at most 30 lower-case letters, digits and hyphens',
  ],
  [{ Oidc__Issuers__others__RolesClaim: 'x' }, 'Oidc__Issuers__others__Issuer: is required'],
  [
    { ...partners, Oidc__Issuers__partners__Issuer: environment.Oidc__Issuer },
    'Oidc__Issuers__partners__Issuer: is the same as another issuer',
  ],
])('the further issuer %j is rejected', (more, problem) => {
  expect(() => readConfiguration({ ...environment, ...more } as never, readOidcConfig)).toThrow(
    expect.objectContaining({ problems: expect.arrayContaining([problem]) }),
  )
})
