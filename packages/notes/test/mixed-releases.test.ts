import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { type Installation, type PackedReleases, packReleases } from './packed-releases.ts'

let packed: PackedReleases
beforeAll(async () => {
  packed = await packReleases()
})
afterAll(() => packed.close())

/** Starts the host of the README example with an empty database. Returns the output of the host. */
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

test('a host starts if all packages have the same release', async () => {
  const { next } = packed
  const output = await start({ '': { 'core-audit': next, 'feature-flags': next, notes: next } })
  expect(output).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+\n/m)
})

test('if only core-audit is updated, the host refuses to start and names all older packages', async () => {
  const { current, next } = packed
  // The version ranges of the older packages include the new core-audit, so a package manager does not warn.
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

test('if only notes is updated, the host refuses to start, even if notes has its own core-audit', async () => {
  const { current, next } = packed
  // The version ranges of notes exclude the older packages, so a package manager installs second copies below notes.
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
