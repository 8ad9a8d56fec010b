import { configDefaults, defineProject, mergeConfig } from 'vitest/config'
import shared from '../../vitest.shared.ts'

// Most tests here start whole demos as processes of their own, some several in a row.
export default mergeConfig(
  shared,
  defineProject({
    test: {
      name: 'demo-host',
      // A project of its own, with a browser: test/browser/vitest.config.ts.
      exclude: [...configDefaults.exclude, 'test/browser/**'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }),
)
