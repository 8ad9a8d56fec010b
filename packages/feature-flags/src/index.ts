export { readFeatures } from './config.ts'
export { createFeatureFlags, type FeatureFlags } from './module.ts'
export type { FeatureDefinition, FeatureRegistration } from './registry.ts'
