import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startReadmeExample } from '../../../vitest.readme-example.ts'

/** Starts the example of the README with a new database and returns the URL of its host. */
async function startExample(issuer: TestIssuer, settings: Readonly<Record<string, string>>): Promise<string> {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const { url } = await startReadmeExample(new URL('..', import.meta.url), {
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    ...settings,
  })
  return url
}

test.each([
  ['true', 200],
  ['false', 404],
])(
  'in the README example, if the value of the feature is %s, its endpoint returns %i',
  async (value, status) => {
    const issuer = await startTestIssuer()
    onTestFinished(() => issuer.close())
    const url = await startExample(issuer, { FeatureManagement__Returns: value })
    const headers = { Authorization: `Bearer ${await issuer.token({ subject: 'clerk' })}` }
    const features = await fetch(`${url}/api/features`, { headers })
    expect(await features.json()).toMatchObject([{ code: 'Returns', enabled: value === 'true' }])
    expect((await fetch(`${url}/api/returns`, { headers })).status).toBe(status)
  },
)
