import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's URL of the PostgreSQL server of this project: `inject('postgresUrl')`. */
    postgresUrl: string
    /** The folder of that server's programs, where a project asks for others than the embedded ones. */
    postgresPrograms: string
  }
}
