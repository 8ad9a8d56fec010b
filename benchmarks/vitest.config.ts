import { defineProject } from 'vitest/config'
import { execution } from '../vitest.execution.ts'
import { fromSources } from '../vitest.shared.ts'

// Do not use the rest of the shared configuration, because these tests start a database of their own.
export default defineProject({
  ...fromSources,
  test: { ...execution, name: 'benchmarks', environment: 'node', include: ['test/**/*.test.ts'] },
})
