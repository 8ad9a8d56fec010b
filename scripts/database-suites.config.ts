import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The packages whose tests run again on the oldest PostgreSQL that is supported. */
export const databaseSuites = ['core-audit', 'attachments', 'notes', 'document-actions']

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: { projects: databaseSuites.map((name) => `packages/${name}`) },
})
