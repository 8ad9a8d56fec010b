import { defineProject } from 'vitest/config'

// Not the shared configuration: these tests need no database.
export default defineProject({ test: { name: 'check', environment: 'node', include: ['test/**/*.test.ts'] } })
