import { type PostgresOptions, type PostgresServer, startPostgres } from '@vertical-kit/dev-services'
import { inject } from 'vitest'

/** Starts a server that a test file does not share, with the PostgreSQL programs of its project. */
export function startOwnPostgres(options: Omit<PostgresOptions, 'binaries'> = {}): Promise<PostgresServer> {
  const binaries = inject('postgresPrograms')
  return startPostgres({ ...options, ...(binaries !== undefined && { binaries }) })
}
