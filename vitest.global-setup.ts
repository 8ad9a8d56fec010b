import { startPostgres } from '@vertical-kit/dev-services'
import type { TestProject } from 'vitest/node'

const given = 'VK_TEST_POSTGRES_URL'

/**
 * Gives every test project the URL of a PostgreSQL server: the one named by VK_TEST_POSTGRES_URL, or one that the
 * first project starts for all projects of the run. Projects that ask for programs of their own share another one.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { postgresPrograms: programs } = project.config.provide
  // Projects are set up one after the other in this process, and torn down together at the end.
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
