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
