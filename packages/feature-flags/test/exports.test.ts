import type { FeatureDefinition, FeatureFlags, FeatureRegistration } from '@vertical-kit/feature-flags'
import * as featureFlags from '@vertical-kit/feature-flags'
import type { Feature } from '@vertical-kit/feature-flags/contract'
import * as contract from '@vertical-kit/feature-flags/contract'
import packageJson from '@vertical-kit/feature-flags/package.json' with { type: 'json' }
import { expect, expectTypeOf, test } from 'vitest'

test('the package exports only its documented names', () => {
  expect(Object.keys(packageJson.exports)).toEqual(['.', './contract', './package.json'])
  expect(Object.keys(featureFlags).toSorted()).toEqual(['createFeatureFlags', 'readFeatures'])
  expect(Object.keys(contract).toSorted()).toEqual(['Feature', 'Features'])
})

test('createFeatureFlags accepts a FeatureRegistration, and its result is a KitModule', () => {
  expectTypeOf(featureFlags.createFeatureFlags).parameters.toEqualTypeOf<[FeatureRegistration]>()
  expectTypeOf(featureFlags.createFeatureFlags).returns.toEqualTypeOf<FeatureFlags>()
  expectTypeOf<FeatureRegistration['definitions']>().toEqualTypeOf<readonly FeatureDefinition[]>()
  expectTypeOf<FeatureFlags['features']>().toEqualTypeOf<readonly Feature[]>()
  expectTypeOf(featureFlags.readFeatures).returns.toEqualTypeOf<FeatureRegistration>()
})
