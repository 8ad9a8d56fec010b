import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's URL of the PostgreSQL server of this test run: `inject('postgresUrl')`. */
    postgresUrl: string
  }
}
