import { isKitError } from '@vertical-kit/core-audit'
import { createFeatureFlags, type FeatureFlags } from '@vertical-kit/feature-flags'
import packageJson from '@vertical-kit/feature-flags/package.json' with { type: 'json' }
import { Hono } from 'hono'
import { describe, expect, test, vi } from 'vitest'
import { attachments, notes } from './harness.ts'

const flags = createFeatureFlags({ definitions: [notes, attachments], values: new Map([['Notes', true]]) })

test('a feature is on only when its value says so', () => {
  expect(flags.isEnabled('Notes')).toBe(true)
  expect(flags.isEnabled('Attachments')).toBe(false)
})

test.each(['notes', 'NOTES', 'Unknown', '', '__proto__', 'toString'])(
  'the unknown code %j is off',
  (code) => {
    expect(flags.isEnabled(code)).toBe(false)
  },
)

/** What a guard of these codes lets an endpoint answer. */
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

describe('a guard', () => {
  test.each<[codes: readonly string[], body: string]>([
    [['Notes'], 'open'],
    [['Attachments'], 'feature.disabled'],
    [['Attachments', 'Notes'], 'open'],
    [['Notes', 'Attachments'], 'open'],
    [['Unknown', 'Notes'], 'open'],
    [['Unknown'], 'feature.disabled'],
    [['Unknown', 'Attachments'], 'feature.disabled'],
    [['notes'], 'feature.disabled'],
  ])('of %j answers %s', async (codes, body) => {
    expect(await answer(flags, codes)).toBe(body)
  })

  test('of no code at all stays closed', async () => {
    expect(await answer(flags, [])).toBe('feature.disabled')
    // @ts-expect-error: the compiler asks for at least one code
    expect(flags.require()).toBeTypeOf('function')
  })

  test('of a second copy of the package refuses with a code the first one knows', async () => {
    vi.resetModules()
    const copy = await import('@vertical-kit/feature-flags')
    expect(copy.createFeatureFlags).not.toBe(createFeatureFlags)
    const values = new Map<string, boolean>()
    expect(await answer(copy.createFeatureFlags({ definitions: [notes], values }), ['Notes'])).toBe(
      'feature.disabled',
    )
  })
})

describe('the state is frozen', () => {
  test('changing the values and definitions afterwards changes nothing', async () => {
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

  test('what it hands out cannot be written', () => {
    const [first] = flags.features
    expect(() => Object.assign(first ?? {}, { enabled: false })).toThrow(TypeError)
    expect(() => (flags.features as unknown[]).pop()).toThrow(TypeError)
    expect(flags.isEnabled('Notes')).toBe(true)
  })
})

test('the module belongs to the release train and asks for no permission and no table', () => {
  expect(flags).toMatchObject({ name: '@vertical-kit/feature-flags', version: packageJson.version })
  expect(flags.permissions).toBeUndefined()
  expect(flags.migrations).toBeUndefined()
})
