import { readFile } from 'node:fs/promises'
import * as core from '@vertical-kit/core-audit'
import * as contract from '@vertical-kit/core-audit/contract'
import * as drizzle from '@vertical-kit/core-audit/drizzle'
import packageJson from '@vertical-kit/core-audit/package.json' with { type: 'json' }
import * as schema from '@vertical-kit/core-audit/schema'
import * as internal from '@vertical-kit/core-audit/schema/internal'
import * as testing from '@vertical-kit/core-audit/testing'
import { expect, expectTypeOf, test } from 'vitest'

/** The types a front door names; what they are called exists nowhere at run time. */
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

test('the package has these front doors', () => {
  expect(Object.keys(packageJson.exports)).toEqual([
    '.',
    './contract',
    './schema',
    './drizzle',
    './schema/internal',
    './testing',
    './package.json',
  ])
})

test('the package exports these values and no others', () => {
  expect(namesOf(core)).toEqual([
    'AccessChangedData',
    'ConfigurationError',
    'CoreError',
    'accessChangedType',
    'api',
    'appendToOutbox',
    'auditInsert',
    'auditPermission',
    'authorizer',
    'brokenConstraint',
    'checkModules',
    'configurationExitCode',
    'coreMigrations',
    'createApplication',
    'createAuditTimeline',
    'createBell',
    'createBusinessObjects',
    'createContentSummary',
    'createDatabase',
    'createIdentity',
    'createLogger',
    'createOutboxConsumer',
    'createOutboxRetention',
    'databaseDefaults',
    'databaseHealth',
    'defineErrors',
    'fieldChanges',
    'fixedAnswer',
    'formatDuration',
    'holds',
    'holdsAuditAccess',
    'isKitError',
    'isStoredInstant',
    'listen',
    'migrate',
    'migrateExitCodes',
    'migrationStatus',
    'newId',
    'openPostgresClient',
    'outboxExitCodes',
    'outboxInsert',
    'parseBoolean',
    'parseDurationMs',
    'parseRequest',
    'readConfiguration',
    'readCursor',
    'readDatabaseConfig',
    'readOidcConfig',
    'recordAudit',
    'refusal',
    'rehearseMigrations',
    'releaseTrain',
    'requireAuditAccess',
    'requirePermission',
    'runMigrateCommand',
    'runOutboxCommand',
    'startWorkers',
    'surviveDriverRejections',
    'takePage',
    'toInstant',
    'toInstantOrNull',
    'writeCursor',
  ])
})

test('the package exports these types and no others', async () => {
  expect(await typesOf('index.ts')).toEqual(
    [
      'AccessSeed',
      'Actor',
      'ApiDescription',
      'ApiResponse',
      'ApplicationOptions',
      'AuditSource',
      'AuditTimelineOptions',
      'Authorize',
      'Bell',
      'BusinessObjectTypes',
      'BusinessObjects',
      'Caller',
      'CallerRole',
      'ClientOptions',
      'ContentCounter',
      'ContentSummaryOptions',
      'CoreErrorCode',
      'Database',
      'DatabaseConfig',
      'Db',
      'Environment',
      'EnvironmentReader',
      'ErrorClass',
      'ErrorRule',
      'ErrorTable',
      'FieldChange',
      'FieldError',
      'FixedAnswer',
      'Guard',
      'HealthCheck',
      'HealthReport',
      'HealthResult',
      'HealthStatus',
      'IdentifiedCaller',
      'Identity',
      'IdentityOptions',
      'IdentifyCaller',
      'KitEnv',
      'KitError',
      'KitErrorOptions',
      'KitModule',
      'ListenOptions',
      'LoggerOptions',
      'MigrateCommandOptions',
      'MigrateOptions',
      'MigrationPack',
      'MigrationState',
      'NewAuditEvent',
      'NewOutboxEvent',
      'OidcConfig',
      'OutboxCommandOptions',
      'OutboxConsumer',
      'OutboxConsumerConfig',
      'OutboxConsumerOptions',
      'OutboxEvent',
      'OutboxRetentionConfig',
      'OutboxRetentionOptions',
      'PermissionDefinition',
      'PostgresClient',
      'ReloadCaller',
      'ResolveParent',
      'RunningServer',
      'RunningWorkers',
      'SeedRole',
      'SeedUser',
      'StoredAuditEvent',
      'Tx',
      'Worker',
    ].toSorted(),
  )
})

test('the contract exports these shapes and no others', async () => {
  expect(namesOf(contract)).toEqual([
    'AuditEvent',
    'AuditEventPage',
    'BusinessObjectReference',
    'ContentSummary',
    'CreateRoleBody',
    'Id',
    'Instant',
    'ListAuditEventsQuery',
    'ListUsersQuery',
    'MeAccess',
    'PageLimit',
    'Permission',
    'ProblemDetails',
    'Role',
    'SetRolePermissionsBody',
    'SetUserRolesBody',
    'StorableText',
    'Target',
    'UpdateRoleBody',
    'User',
    'UserPage',
    'businessObjectKinds',
    'codePointCount',
    'generalJournalEntryTypeCode',
    'isStorable',
    'isUuid',
    'roleLimits',
    'targetOf',
    'targetQuery',
    'trimWhiteSpace',
  ])
  expect(await typesOf('contract.ts')).toEqual(['BusinessObjectKind'])
})

test('the schema exports these tables, views and types and no others', async () => {
  expect(namesOf(schema)).toEqual([
    'activeRoleMembers',
    'auditEvents',
    'coreAudit',
    'roleAssignments',
    'roles',
    'userAccounts',
    'userNames',
    'userRoles',
    'users',
  ])
  expect(await typesOf('schema.ts')).toEqual(['RowOf'])
  expect(namesOf(internal)).toEqual(['outboxAttempts', 'outboxConsumers', 'outboxDeliveries', 'outboxEvents'])
})

test('the entry for Drizzle exports these and no others', async () => {
  expect(namesOf(drizzle)).toEqual(['drizzleOver', 'kitTx'])
  expect(await typesOf('drizzle/index.ts')).toEqual(['ApplicationTransaction', 'KitDrizzle'])
})

test('the tests of other packages get these and no others', async () => {
  expect(namesOf(testing)).toEqual(['migrationTemplate', 'openTestHost', 'schemaDrift', 'startTestIssuer'])
  expect(await typesOf('testing/index.ts')).toEqual([
    'MigrationTemplate',
    'TestHost',
    'TestHostOptions',
    'TestIssuer',
    'TestRequest',
    'TestTokenClaims',
    'TestUser',
  ])
})

test('the error codes and their statuses are the contract', () => {
  expect(Object.entries(core.CoreError.table).map(([code, { status }]) => `${status} ${code}`)).toEqual([
    '401 auth.required',
    '403 auth.inactive',
    '404 feature.disabled',
    '403 permission.denied',
    '400 request.malformed',
    '400 request.invalid',
    '413 request.too_large',
    '415 request.unsupported_media_type',
    '404 request.route_not_found',
    '400 business_object.unsupported',
    '404 business_object.not_found',
    '404 roles.not_found',
    '409 roles.code_taken',
    '409 roles.protected',
    '404 users.not_found',
    '503 service.unavailable',
    '500 internal',
  ])
})

test('a write asks for a transaction, and a read makes do with less', () => {
  expectTypeOf<core.Tx>().toExtend<core.Db>()
  expectTypeOf<core.Db>().not.toExtend<core.Tx>()
  expectTypeOf(core.recordAudit).parameter(0).toEqualTypeOf<core.Tx>()
  expectTypeOf<core.Database['read']>().parameter(0).parameter(0).toEqualTypeOf<core.Db>()
  expectTypeOf<core.Database['transaction']>().parameter(0).parameter(0).toEqualTypeOf<core.Tx>()
})
