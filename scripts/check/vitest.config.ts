import { defineProject } from 'vitest/config'
import { workers } from '../../vitest.workers.ts'

// Not the shared configuration: these tests need no database.
export default defineProject({
  test: { ...workers, name: 'check', environment: 'node', include: ['test/**/*.test.ts'] },
})
