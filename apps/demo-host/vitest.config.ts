import { configDefaults, defineProject, mergeConfig } from 'vitest/config'
import shared from '../../vitest.shared.ts'

// Most tests here start complete demos as separate processes, some of them several in sequence.
export default mergeConfig(
  shared,
  defineProject({
    test: {
      name: 'demo-host',
      // Browser tests are a separate project: test/browser/vitest.config.ts.
      exclude: [...configDefaults.exclude, 'test/browser/**'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }),
)
