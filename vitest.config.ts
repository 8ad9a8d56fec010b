import { defineConfig } from 'vitest/config'
import { pgbouncerProjects, postgres15Projects } from './vitest.database-suites.ts'

export default defineConfig({
  test: {
    projects: [
      'packages/*',
      'apps/*',
      'apps/demo-host/test/browser',
      'examples',
      'benchmarks',
      'scripts/check',
      ...postgres15Projects,
      ...pgbouncerProjects,
    ],
  },
})
