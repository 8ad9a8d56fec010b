import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { type Installation, type PackedReleases, packReleases } from './packed-releases.ts'

let packed: PackedReleases
beforeAll(async () => {
  packed = await packReleases()
})
afterAll(() => packed.close())

/** Starts the host of the README on an empty database and returns its output. */
async function start(installation: Installation): Promise<string> {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  return packed.runExample(installation, {
    DATABASE_URL: database.url,
    Oidc__Issuer: issuer.oidc.issuer,
    Oidc__Audience: issuer.oidc.audience,
    FeatureManagement__Notes: 'true',
  })
}

test('a host starts with all packages of one release', async () => {
  const { next } = packed
  const output = await start({ '': { 'core-audit': next, 'feature-flags': next, notes: next } })
  expect(output).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+\n/m)
})

test('a host with only core-audit updated refuses to start and names all older packages', async () => {
  const { current, next } = packed
  // All version ranges allow this, so a package manager installs it without a warning.
  for (const name of ['feature-flags', 'notes'] as const) {
    const { dependencies } = await current.manifestOf(name)
    expect(dependencies['@vertical-kit/core-audit']).toBe(`^${current.version}`)
  }
  const output = await start({ '': { 'core-audit': next, 'feature-flags': current, notes: current } })
  for (const name of ['feature-flags', 'notes']) {
    expect(output).toContain(
      `@vertical-kit/${name} is ${current.version} and @vertical-kit/core-audit is ${next.version}`,
    )
  }
  expect(output).not.toContain('ready ')
})

test('a host with one updated package refuses to start, even if the package has its own core-audit', async () => {
  const { current, next } = packed
  // The range excludes the older core-audit, so a package manager installs a second copy below the package.
  expect((await next.manifestOf('notes')).dependencies).toEqual({
    '@vertical-kit/core-audit': `^${next.version}`,
    '@vertical-kit/feature-flags': `^${next.version}`,
  })
  const output = await start({
    '': { 'core-audit': current, 'feature-flags': current, notes: next },
    'node_modules/@vertical-kit/notes': { 'core-audit': next, 'feature-flags': next },
  })
  expect(output).toContain(
    `@vertical-kit/notes is ${next.version} and @vertical-kit/core-audit is ${current.version}`,
  )
  expect(output).not.toContain(`@vertical-kit/feature-flags is`)
  expect(output).not.toContain('ready ')
})
