import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser URL of the PostgreSQL server of this project. Tests read it with `inject('postgresUrl')`. */
    postgresUrl: string
    /** The program folder of that server. Undefined if the project uses the embedded programs. */
    postgresPrograms: string
    /** The mode of the pooler between the hosts of this project and the server; undefined without a pooler. */
    poolMode: 'session' | 'transaction' | undefined
    /** The port of that pooler. */
    poolerPort: number | undefined
  }
}
