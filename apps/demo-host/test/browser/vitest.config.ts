import { fileURLToPath } from 'node:url'
import { defineProject, mergeConfig } from 'vitest/config'
import { withManyProcesses } from '../../../../vitest.execution.ts'
import shared from '../../../../vitest.shared.ts'

// The time limits are long, because each test file starts a demo and a browser.
export default mergeConfig(
  shared,
  defineProject({
    test: {
      ...withManyProcesses,
      name: 'browser',
      include: ['*.test.ts'],
      globalSetup: [fileURLToPath(new URL('./seeded-data.ts', import.meta.url))],
      testTimeout: 120_000,
      hookTimeout: 300_000,
    },
  }),
)
