export { blockedCount, untilBlocked } from './blocked-sessions.ts'
export { type BlockingMigrationsOptions, blockingMigrations } from './blocking-migrations.ts'
export { type CapturedLog, captureLog } from './capture-log.ts'
export { configurationProblems } from './configuration-problems.ts'
export { countPlans } from './count-plans.ts'
export { expectJson } from './expect-json.ts'
export { type HeldTransaction, holdTransaction } from './hold-transaction.ts'
export { type MigrationTemplate, migrationTemplate } from './migration-template.ts'
export { onWake } from './on-wake.ts'
export { type PlanNode, plansOf, readCountOf, statementOf } from './plans-of.ts'
export {
  type ClientMessage,
  type MessageAction,
  type PostgresProxy,
  startPostgresProxy,
} from './postgres-proxy.ts'
export { recordStatements, type StatementRecord } from './record-statements.ts'
export { type Refusal, refusalOf } from './refusal-of.ts'
export { deactivateUser, removePermission, removeRoles } from './revoke-rights.ts'
export { schemaDrift } from './schema-drift.ts'
export { testCaller } from './test-caller.ts'
export {
  openTestHost,
  type TestHost,
  type TestHostOptions,
  type TestRequest,
  type TestUser,
} from './test-host.ts'
export { startTestIssuer, type TestIssuer, type TestTokenClaims } from './test-issuer.ts'
