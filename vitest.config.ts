import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: { projects: ['packages/*', 'apps/*', 'apps/demo-host/test/browser', 'examples', 'scripts/check'] },
})
