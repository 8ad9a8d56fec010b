import { existsSync } from 'node:fs'
import { postgres15Folder } from './vitest.optional-programs.ts'

/** The packages whose tests run a second time, on the oldest PostgreSQL that is supported. */
export const databaseSuites = ['core-audit', 'attachments', 'notes', 'document-actions', 'work-center']

/** Their files that take long and ask no database: what they test is the object stores. */
export const withoutDatabase = 'storage-*.test.ts'

/** The project that runs the tests of another one on PostgreSQL 15. */
export const onPostgres15 = (project: string): string => `${project}-postgres-15`

/** The second runs, as projects beside the first: all of them share the workers. None where PostgreSQL 15 is missing. */
export const postgres15Projects = (existsSync(postgres15Folder) ? databaseSuites : []).map((name) => ({
  extends: `./packages/${name}/vitest.config.ts`,
  root: `./packages/${name}`,
  test: {
    name: onPostgres15(name),
    exclude: [`**/${withoutDatabase}`],
    provide: { postgresPrograms: postgres15Folder },
  },
}))
