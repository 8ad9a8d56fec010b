import { existsSync } from 'node:fs'
import { pgbouncerPath, postgres15Folder } from './vitest.optional-programs.ts'

/** The packages with tests that run a second time on the oldest supported PostgreSQL. */
export const databaseSuites = [
  'core-audit',
  'attachments',
  'notes',
  'document-actions',
  'webhooks',
  'work-center',
]

/** The slow test files of object stores. They use no database, so they run only once. */
export const withoutDatabase = 'storage-*.test.ts'

/** Returns the name of the project that runs the tests of another project on PostgreSQL 15. */
export const onPostgres15 = (project: string): string => `${project}-postgres-15`

/** The projects of the second runs. They share workers with all other projects. Empty if PostgreSQL 15 is missing. */
export const postgres15Projects = (existsSync(postgres15Folder) ? databaseSuites : []).map((name) => ({
  extends: `./packages/${name}/vitest.config.ts`,
  root: `./packages/${name}`,
  test: {
    name: onPostgres15(name),
    exclude: [`**/${withoutDatabase}`],
    provide: { postgresPrograms: postgres15Folder },
  },
}))

/** The packages with tests that run again through PgBouncer, in both modes. */
export const pooledSuites = ['attachments', 'document-actions', 'work-center']

/** The folders with the tests that run again: those of code that uses the database through a pool. */
const pooledFolders = ['commands', 'queries', 'races', 'routes', 'event-handlers']

export const pooledFiles = `test/{${pooledFolders.join(',')}}/**/*.test.ts`

/** Returns the name of the project that runs another project's tests through PgBouncer. */
export const throughPgBouncer = (project: string, poolMode: string): string =>
  `${project}-pgbouncer-${poolMode}`

/** The projects of these runs. Empty if PgBouncer is missing. */
export const pgbouncerProjects = (existsSync(pgbouncerPath) ? pooledSuites : []).flatMap((name) =>
  (['session', 'transaction'] as const).map((poolMode) => ({
    extends: `./packages/${name}/vitest.config.ts`,
    root: `./packages/${name}`,
    test: {
      name: throughPgBouncer(name, poolMode),
      // The files of the package's own configuration are included, too.
      exclude: ['test/*.test.ts', `test/!(${pooledFolders.join('|')})/**`],
      provide: { poolMode },
    },
  })),
)
