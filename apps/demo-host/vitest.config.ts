import { configDefaults, defineProject, mergeConfig } from 'vitest/config'
import { withManyProcesses } from '../../vitest.execution.ts'
import shared from '../../vitest.shared.ts'

// The time limits are long, because most tests start one or more complete demos as separate processes.
export default mergeConfig(
  shared,
  defineProject({
    test: {
      ...withManyProcesses,
      name: 'demo-host',
      // Browser tests are a separate project, configured in test/browser/vitest.config.ts.
      exclude: [...configDefaults.exclude, 'test/browser/**'],
      testTimeout: 300_000,
      hookTimeout: 300_000,
    },
  }),
)
