import { startPostgres } from '@vertical-kit/dev-services'
import type { TestProject } from 'vitest/node'

const urlVariable = 'VK_TEST_POSTGRES_URL'

/**
 * Gives every test project the URL of a PostgreSQL server: the one named by VK_TEST_POSTGRES_URL, or one that
 * the first project starts for all projects of the run.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env[urlVariable]
  if (given) {
    project.provide('postgresUrl', given)
    return undefined
  }
  const server = await startPostgres()
  project.provide('postgresUrl', server.adminUrl)
  // Projects are set up one after the other in this process, and torn down together at the end.
  process.env[urlVariable] = server.adminUrl
  return async () => {
    delete process.env[urlVariable]
    await server.stop()
  }
}
