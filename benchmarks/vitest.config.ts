import { defineProject } from 'vitest/config'
import { execution } from '../vitest.execution.ts'

// Do not use the shared configuration, because these tests need no database.
export default defineProject({
  test: { ...execution, name: 'benchmarks', environment: 'node', include: ['test/**/*.test.ts'] },
})
