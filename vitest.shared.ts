import { fileURLToPath } from 'node:url'
import { defineProject } from 'vitest/config'
import { workers } from './vitest.workers.ts'

// What Node resolves with, and the workspace's sources. Setting these replaces Vite's defaults, of which `module`
// is left out: it leads to files for bundlers, which Node cannot load.
const conditions = ['@vertical-kit/source', 'node', 'development|production']

export default defineProject({
  ssr: { resolve: { conditions } },
  // The environment in which vitest runs the global setup.
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    ...workers,
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('./vitest.global-setup.ts', import.meta.url))],
    // Guards against what never ends, and no statement of how fast anything is: a machine may be busy with much else.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { interval: 10, timeout: 30_000 } },
  },
})
