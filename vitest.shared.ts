import { fileURLToPath } from 'node:url'
import { defineProject } from 'vitest/config'
import { execution } from './vitest.execution.ts'

// What Node resolves with, and the workspace's sources. Setting these replaces Vite's defaults, of which `module`
// is left out: it leads to files for bundlers, which Node cannot load.
const conditions = ['@vertical-kit/source', 'node', 'development|production']

export default defineProject({
  ssr: { resolve: { conditions } },
  // The environment in which vitest runs the global setup.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    ...execution,
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('./vitest.global-setup.ts', import.meta.url))],
    expect: { poll: { interval: 10, timeout: 30_000 } },
  },
})
