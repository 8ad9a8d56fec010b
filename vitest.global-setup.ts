import { startPostgres } from '@vertical-kit/dev-services'
import type { TestProject } from 'vitest/node'

const given = 'VK_TEST_POSTGRES_URL'

/**
 * Provides every test project with the URL of a PostgreSQL server. The URL is VK_TEST_POSTGRES_URL, or that of a server
 * that the first project starts for all projects. Projects with other PostgreSQL programs share a second server.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
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
