import { startPostgres } from '@vertical-kit/dev-services'
import type { TestProject } from 'vitest/node'
import { startPgBouncer } from './vitest.pgbouncer.ts'

const given = 'VK_TEST_POSTGRES_URL'

/**
 * Provides every test project with the URL of a PostgreSQL server. The URL is VK_TEST_POSTGRES_URL, or that of a server
 * that the first project starts for all projects. Projects with other PostgreSQL programs share a second server.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stopServer = await provideServer(project)
  const stopPooler = await providePooler(project)
  return async () => {
    await stopPooler?.()
    await stopServer?.()
  }
}

async function provideServer(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { postgresPrograms: programs } = project.config.provide
  // One process sets up all projects one after another, and tears down all projects at the end.
  const variable = programs === undefined ? given : `${given} ${programs}`
  const running = process.env[variable]
  if (running) {
    project.provide('postgresUrl', running)
    return undefined
  }
  const server = await startPostgres(programs === undefined ? {} : { binaries: programs })
  console.log(`PostgreSQL ${server.version}`)
  project.provide('postgresUrl', server.adminUrl)
  process.env[variable] = server.adminUrl
  return async () => {
    delete process.env[variable]
    await server.stop('immediate')
  }
}

/** Starts a pooler for a project with a pool mode, in front of the project's server. */
async function providePooler(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { poolMode } = project.config.provide
  const server = process.env[given]
  if (poolMode === undefined || server === undefined) return undefined
  const pooler = await startPgBouncer(server, poolMode)
  project.provide('poolerPort', pooler.port)
  return pooler.stop
}
