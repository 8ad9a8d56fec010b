import { coreMigrations, type Database } from '@vertical-kit/core-audit/database'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import {
  expectJson,
  migrationTemplate,
  openTestHost,
  type TestHost,
  type TestHostOptions,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import { inject } from 'vitest'
import { pooled } from '../../../vitest.pooled-database.ts'
import { readWorkCenterConfig } from '../src/config.ts'
import type { BatchResults, BatchVerb, Item, ItemPage, Summary } from '../src/contract.ts'
import { WorkCenterError } from '../src/errors.ts'
import type { VersionChanges } from '../src/inbox/version-changes.ts'
import { workCenterMigrations } from '../src/migrations.ts'
import { workCenterPermissions } from '../src/permissions.ts'
import { workCenterRoutes } from '../src/routes.ts'
import { substitutionRoutes } from '../src/substitution-routes.ts'
import { type TeamRoutesOptions, teamRoutes } from '../src/team-routes.ts'
import { definitions } from './definitions.ts'
import { addTradeRoles } from './people.ts'

export { expectJson, refusalOf } from '@vertical-kit/core-audit/testing'

/** Opens a separate migrated database for a test file. */
export async function openDatabase(): Promise<FreshDatabase> {
  const template = await migrationTemplate('work_center', [coreMigrations, workCenterMigrations])
  return freshDatabase(inject('postgresUrl'), { template })
}

/** Long timeouts for tests with more concurrent requests than connections. */
export const patient = { poolWaitMs: 60_000, lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 }

/** A host with the Work Center's routes and a separate database. It collects the announced versions. */
export interface InboxHost extends TestHost {
  readonly databaseUrl: string
  readonly announced: VersionChanges[]
}

export interface InboxHostOptions {
  readonly database?: TestHostOptions['database']
  /** Wraps the database of the module, for example to record statements. */
  observe?(database: Database): Database
}

const routesOf = (options: TeamRoutesOptions) =>
  workCenterRoutes(options).route('/', teamRoutes(options)).route('/', substitutionRoutes(options))

/** Opens a host with the roles that `addTradeRoles` creates. */
export async function openInboxHost(options: InboxHostOptions = {}): Promise<InboxHost> {
  const fresh = await openDatabase()
  const announced: VersionChanges[] = []
  const administratorRoleCodes = ['trade.administrator']
  const host = await openTestHost({
    databaseUrl: pooled(fresh.url).url,
    database: { ...pooled(fresh.url), ...options.database },
    administratorRoleCodes,
    modules: (pool) => [
      {
        name: workCenterMigrations.name,
        permissions: workCenterPermissions,
        errors: [WorkCenterError],
        router: routesOf({
          ...{ definitions, administratorRoleCodes },
          database: options.observe?.(pool) ?? pool,
          config: readConfiguration({}, readWorkCenterConfig),
          announce: (changes) => announced.push(changes),
        }),
      },
    ],
  })
  await addTradeRoles(host.database)
  return {
    ...host,
    databaseUrl: fresh.url,
    announced,
    async close() {
      await host.close()
      await fresh.drop()
    },
  }
}

/** Requests one page of items with this query string. */
export const page = async (request: TestRequest, query = ''): Promise<ItemPage> =>
  expectJson<ItemPage>(await request('GET', `/api/work-center/items?${query}`))

/** Requests one page of items and returns their ids. */
export const idsOf = async (request: TestRequest, query = ''): Promise<readonly string[]> =>
  (await page(request, query)).items.map(({ id }) => id)

export const summary = async (request: TestRequest, query = ''): Promise<Summary> =>
  expectJson<Summary>(await request('GET', `/api/work-center/summary?${query}`))

/** Sends the request of a user to change an item. */
export function send(
  request: TestRequest,
  kind: 'tasks' | 'notifications',
  id: string,
  deed: BatchVerb | 'forward',
  body?: unknown,
): Promise<Response> {
  return request('POST', `/api/work-center/${kind}/${id}/${deed}`, body === undefined ? {} : { body })
}

/** Sends the request of a user to change an item. Fails if the response is not a success. */
export const done = async (...call: Parameters<typeof send>): Promise<Item> =>
  expectJson<Item>(await send(...call))

/** Sends a batch and returns its results. Fails if the response is not a success. */
export const batch = async (request: TestRequest, body: object): Promise<BatchResults['results']> =>
  (await expectJson<BatchResults>(await request('POST', '/api/work-center/batch', { body }))).results
