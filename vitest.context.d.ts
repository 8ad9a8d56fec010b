import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Tests of the page: a folder with the data of a stopped demo, with its sample data. */
    seededData: string
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
