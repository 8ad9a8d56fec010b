import { isKitError } from '@vertical-kit/core-audit'
import { createFeatureFlags, type FeatureFlags } from '@vertical-kit/feature-flags'
import packageJson from '@vertical-kit/feature-flags/package.json' with { type: 'json' }
import { Hono } from 'hono'
import { describe, expect, test, vi } from 'vitest'
import { attachments, notes } from './harness.ts'

const flags = createFeatureFlags({ definitions: [notes, attachments], values: new Map([['Notes', true]]) })

test('a feature is on only if its value is true', () => {
  expect(flags.isEnabled('Notes')).toBe(true)
  expect(flags.isEnabled('Attachments')).toBe(false)
})

test.each(['notes', 'NOTES', 'Unknown', '', '__proto__', 'toString'])(
  'isEnabled returns false for the unknown code %j',
  (code) => {
    expect(flags.isEnabled(code)).toBe(false)
  },
)

/** Sends a request to an endpoint with a guard for these codes. Returns `open` or the error code. */
async function answer(from: FeatureFlags, codes: readonly string[]): Promise<string> {
  const app = new Hono()
  const guard = from.require(...(codes as [string]))
  app.get('/', async (c) => {
    await guard(c as never)
    return c.text('open')
  })
  app.onError((error, c) => c.text(isKitError(error) ? error.code : 'fault'))
  return (await app.request('/')).text()
}

describe('the guard of an endpoint', () => {
  test.each<[codes: readonly string[], body: string]>([
    [['Notes'], 'open'],
    [['Attachments'], 'feature.disabled'],
    [['Attachments', 'Notes'], 'open'],
    [['Notes', 'Attachments'], 'open'],
  ])('for the features %j has the outcome %s', async (codes, body) => {
    expect(await answer(flags, codes)).toBe(body)
  })

  test.each<[unknown: string, codes: readonly [string, ...string[]]]>([
    ['Note', ['Note']],
    ['notes', ['notes']],
    ['Barcode', ['Notes', 'Barcode']],
  ])('cannot be created for the unknown feature %s', (unknown, codes) => {
    expect(() => flags.require(...codes)).toThrow(
      new TypeError(`${unknown} is not a feature; the features are: Notes, Attachments`),
    )
  })

  test('rejects every request if it has no feature code', async () => {
    expect(await answer(flags, [])).toBe('feature.disabled')
    // @ts-expect-error: `require` needs at least one code
    expect(flags.require()).toBeTypeOf('function')
  })

  test('throws an error that the kit recognizes, even if a second copy of the package created the guard', async () => {
    vi.resetModules()
    const copy = await import('@vertical-kit/feature-flags')
    expect(copy.createFeatureFlags).not.toBe(createFeatureFlags)
    const values = new Map<string, boolean>()
    expect(await answer(copy.createFeatureFlags({ definitions: [notes], values }), ['Notes'])).toBe(
      'feature.disabled',
    )
  })
})

describe('the state of the features', () => {
  test('does not change if the caller modifies the registered values and definitions', async () => {
    const values = new Map([['Notes', true]])
    const definition = { ...notes }
    const definitions = [definition]
    const frozen = createFeatureFlags({ definitions, values })
    const guard = frozen.require('Notes')
    values.set('Notes', false)
    definition.displayName = 'Other'
    definition.code = 'Other'
    definitions.push(attachments)
    expect(frozen.isEnabled('Notes')).toBe(true)
    expect(frozen.isEnabled('Other')).toBe(false)
    expect(frozen.features).toEqual([{ ...notes, enabled: true }])
    expect(() => guard({} as never)).not.toThrow()
    expect(await answer(frozen, ['Notes'])).toBe('open')
  })

  test('cannot be modified through the list of features', () => {
    const [first] = flags.features
    expect(() => Object.assign(first ?? {}, { enabled: false })).toThrow(TypeError)
    expect(() => (flags.features as unknown[]).pop()).toThrow(TypeError)
    expect(flags.isEnabled('Notes')).toBe(true)
  })
})

test('the module declares its name and version, but neither permissions nor migrations', () => {
  expect(flags).toMatchObject({ name: '@vertical-kit/feature-flags', version: packageJson.version })
  expect(flags.permissions).toBeUndefined()
  expect(flags.migrations).toBeUndefined()
})
