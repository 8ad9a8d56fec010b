import { readFile } from 'node:fs/promises'
import * as core from '@vertical-kit/core-audit'
import * as contract from '@vertical-kit/core-audit/contract'
import type { Database, Db, Tx } from '@vertical-kit/core-audit/database'
import packageJson from '@vertical-kit/core-audit/package.json' with { type: 'json' }
import * as schema from '@vertical-kit/core-audit/schema'
import * as internal from '@vertical-kit/core-audit/schema/internal'
import * as testing from '@vertical-kit/core-audit/testing'
import { expect, expectTypeOf, test } from 'vitest'
import { frontDoors } from './front-doors.ts'

/** Returns the types that an entry point exports. Reads them from the source, because types do not exist at run time. */
async function typesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(new URL(`../src/${file}`, import.meta.url), 'utf8')
  return [...text.matchAll(/export (type )?\{([^}]*)\}/g)]
    .flatMap(([, allTypes = '', names = '']) => names.split(',').map((name) => `${allTypes}${name.trim()}`))
    .filter((name) => name.startsWith('type '))
    .map((name) => name.slice('type '.length).trim())
    .filter((name) => name !== '')
    .toSorted()
}

const namesOf = (module: object): readonly string[] => Object.keys(module).toSorted()

test('the package exports exactly these entry points', () => {
  expect(Object.keys(packageJson.exports)).toEqual([
    ...frontDoors.map(({ entry }) => entry),
    './contract',
    './schema',
    './schema/internal',
    './testing',
    './package.json',
  ])
})

test.each(frontDoors)(
  'the entry point $entry exports exactly these names',
  async ({ entry, values, types }) => {
    const module: object = await import(`@vertical-kit/core-audit${entry.slice(1)}`)
    expect(namesOf(module)).toEqual(values)
    expect(await typesOf(entry === '.' ? 'index.ts' : `${entry}/index.ts`)).toEqual(types)
  },
)

test('the contract exports exactly these schemas, functions and types', async () => {
  expect(namesOf(contract)).toEqual([
    'ActivityEntry',
    'ActivityPage',
    'AuditEvent',
    'AuditEventPage',
    'BusinessObjectReference',
    'ChangeDeadLettersBody',
    'ChangedDeadLetters',
    'ContentSummaries',
    'ContentSummariesBody',
    'ContentSummary',
    'CreateRoleBody',
    'CreateUserBody',
    'DeadLetter',
    'DeadLetterPage',
    'FlagText',
    'Id',
    'Instant',
    'ListActivityQuery',
    'ListAuditEventsQuery',
    'ListDeadLettersQuery',
    'ListUsersQuery',
    'MeAccess',
    'NavigationTarget',
    'OneLineText',
    'OutboxEventHistory',
    'OutboxState',
    'PageLimit',
    'Permission',
    'ProblemDetails',
    'References',
    'Role',
    'SearchAuditEventsQuery',
    'SetRolePermissionsBody',
    'SetUserRolesBody',
    'StorableText',
    'Target',
    'UpdateRoleBody',
    'User',
    'UserPage',
    'UtcInstant',
    'businessObjectKinds',
    'codePointCount',
    'emailAddressPattern',
    'generalJournalEntryTypeCode',
    'isPermission',
    'isStorable',
    'isUuid',
    'roleLimits',
    'targetOf',
    'targetQuery',
    'trimWhiteSpace',
    'userLimits',
  ])
  expect(await typesOf('contract.ts')).toEqual(['BusinessObjectKind'])
})

test('the schema exports exactly these tables, views and types', async () => {
  expect(namesOf(schema)).toEqual([
    'activeRoleMembers',
    'auditEvents',
    'coreAudit',
    'roleAssignments',
    'roleNames',
    'roles',
    'userAccounts',
    'userAddresses',
    'userNames',
    'userRoles',
    'users',
  ])
  expect(await typesOf('schema.ts')).toEqual(['RowOf'])
  expect(namesOf(internal)).toEqual([
    'auditSeals',
    'outboxAttempts',
    'outboxConsumers',
    'outboxDeliveries',
    'outboxEvents',
  ])
})

test('the testing entry point exports exactly these names', async () => {
  expect(namesOf(testing)).toEqual([
    'blockedCount',
    'blockingMigrations',
    'captureLog',
    'configurationProblems',
    'countPlans',
    'deactivateUser',
    'expectJson',
    'holdTransaction',
    'migrationTemplate',
    'onWake',
    'openTestHost',
    'plansOf',
    'readCountOf',
    'recordStatements',
    'refusalOf',
    'removePermission',
    'removeRoles',
    'schemaDrift',
    'startPostgresProxy',
    'startTestIssuer',
    'statementOf',
    'testCaller',
    'untilBlocked',
  ])
  expect(await typesOf('testing/index.ts')).toEqual([
    'BlockingMigrationsOptions',
    'CapturedLog',
    'ClientMessage',
    'HeldTransaction',
    'MessageAction',
    'MigrationTemplate',
    'PlanNode',
    'PostgresProxy',
    'Refusal',
    'StatementRecord',
    'TestHost',
    'TestHostOptions',
    'TestIssuer',
    'TestRequest',
    'TestTokenClaims',
    'TestUser',
  ])
})

test('the kernel has exactly these error codes and statuses', () => {
  expect(Object.entries(core.CoreError.table).map(([code, { status }]) => `${status} ${code}`)).toEqual([
    '401 auth.required',
    '403 auth.inactive',
    '404 feature.disabled',
    '403 permission.denied',
    '400 request.malformed',
    '408 request.timeout',
    '431 request.headers_too_large',
    '400 request.invalid',
    '413 request.too_large',
    '415 request.unsupported_media_type',
    '404 request.route_not_found',
    '405 request.method_not_allowed',
    '429 request.rate_limited',
    '403 request.refused',
    '400 business_object.unsupported',
    '404 business_object.not_found',
    '404 roles.not_found',
    '409 roles.code_taken',
    '409 roles.protected',
    '409 roles.version_conflict',
    '404 users.not_found',
    '409 users.version_conflict',
    '409 users.subject_taken',
    '503 service.unavailable',
    '500 internal',
  ])
})

test('functions that write require a Tx, and functions that read accept a Db', () => {
  expectTypeOf<Tx>().toExtend<Db>()
  expectTypeOf<Db>().not.toExtend<Tx>()
  expectTypeOf(core.recordAudit).parameter(0).toEqualTypeOf<Tx>()
  expectTypeOf<Database['read']>().parameter(0).parameter(0).toEqualTypeOf<Db>()
  expectTypeOf<Database['transaction']>().parameter(0).parameter(0).toEqualTypeOf<Tx>()
})
