import { fileURLToPath } from 'node:url'
import { defineProject } from 'vitest/config'
import { execution } from './vitest.execution.ts'

// Vite's defaults are replaced by Node's conditions and the sources of the workspace. The condition `module` is omitted:
// it resolves to files for bundlers, and Node cannot load them.
const conditions = ['@vertical-kit/source', 'node', 'development|production']

/** Lets tests import the packages of the workspace from their sources, so that they need no build. */
export const fromSources = {
  ssr: { resolve: { conditions } },
  // vitest runs the global setup in this environment.
  environments: { __vitest__: { resolve: { conditions } } },
}

export default defineProject({
  ...fromSources,
  test: {
    ...execution,
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globalSetup: [fileURLToPath(new URL('./vitest.global-setup.ts', import.meta.url))],
    expect: { poll: { interval: 10, timeout: 30_000 } },
  },
})
