import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** The packages whose tests run again on the oldest PostgreSQL that is supported. */
export const databaseSuites = ['core-audit', 'attachments', 'notes', 'document-actions', 'work-center']

/** Their files that take long and ask no database: what they test is the object stores. */
export const withoutDatabase = 'storage-*.test.ts'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: { projects: databaseSuites.map((name) => `packages/${name}`) },
})
