import { defineProject } from 'vitest/config'
import { execution } from '../../vitest.execution.ts'

// Not the shared configuration: these tests need no database.
export default defineProject({
  test: { ...execution, name: 'check', environment: 'node', include: ['test/**/*.test.ts'] },
})
