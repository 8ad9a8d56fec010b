import { auditTimeline, type KitModule, newId } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import { coreMigrations, type Database, type MigrationPack } from '@vertical-kit/core-audit/database'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import {
  expectJson,
  migrationTemplate,
  openTestHost,
  type TestHost,
  type TestHostOptions,
  type TestRequest,
} from '@vertical-kit/core-audit/testing'
import { type FreshDatabase, freshDatabase } from '@vertical-kit/dev-services'
import {
  createDocumentActions,
  type DocumentActionsConfig,
  type DocumentType,
  documentActionsMigrations,
  genericDocumentStore,
  type StoredDocument,
} from '@vertical-kit/document-actions'
import type { BatchItemResult, BatchResult, ExecutionResult } from '@vertical-kit/document-actions/contract'
import { inject } from 'vitest'
import { pooled } from '../../../vitest.pooled-database.ts'
import { addDocument, type ShopHooks, shopTargets, shopTypes } from './shop.ts'

export { expectJson, refusalOf } from '@vertical-kit/core-audit/testing'

const shopMigrations: MigrationPack = {
  name: 'document-actions-test-shop',
  directory: new URL('./fixtures/', import.meta.url),
}

/** Opens a separate migrated database for a test file, with the books of the shop. */
export async function openDatabase(): Promise<FreshDatabase> {
  const packs = [coreMigrations, documentActionsMigrations, shopMigrations]
  const template = await migrationTemplate('document_actions', packs)
  return freshDatabase(inject('postgresUrl'), { template })
}

export interface ShopHostOptions {
  readonly hooks?: ShopHooks
  readonly types?: readonly DocumentType[]
  readonly config?: DocumentActionsConfig
  readonly database?: TestHostOptions['database']
  /** An existing database to use. Default: a new one. */
  readonly databaseUrl?: string
  /** Wraps the database of the modules, to observe their statements. */
  observe?(database: Database): Database
}

/** A host with document actions and the audit timeline, and with a separate database. */
export interface ShopHost extends TestHost {
  readonly databaseUrl: string
  /** Creates a draft. */
  addDocument(typeCode?: string, fields?: Readonly<Record<string, unknown>>): Promise<StoredDocument>
}

export const dayMs = 24 * 60 * 60 * 1_000

export async function openShopHost(options: ShopHostOptions = {}): Promise<ShopHost> {
  const fresh = options.databaseUrl === undefined ? await openDatabase() : null
  const databaseUrl = options.databaseUrl ?? fresh?.url ?? ''
  const host = await openTestHost({
    databaseUrl: pooled(databaseUrl).url,
    database: { ...pooled(databaseUrl), ...options.database },
    modules: (pool, outbox) => shopModules({ database: options.observe?.(pool) ?? pool, outbox }, options),
  })
  return {
    ...host,
    databaseUrl,
    addDocument: (typeCode, fields) => host.database.statement((tx) => addDocument(tx, typeCode, fields)),
    async close() {
      await host.close()
      await fresh?.drop()
    },
  }
}

/** Creates the modules of the shop host. */
export function shopModules(
  { database, outbox }: { readonly database: Database; readonly outbox: Outbox },
  options: Pick<ShopHostOptions, 'hooks' | 'types' | 'config'>,
): readonly KitModule[] {
  const businessObjects = createBusinessObjects([
    {
      kind: 'Document',
      typeCodes: ['shop.order', 'shop.invoice'],
      isReadable: async (db, caller, { typeCode, id }) =>
        holds(caller, `document.${typeCode}.view`) &&
        (await genericDocumentStore.find(db, { typeCode, id })) !== undefined,
    },
  ])
  const actions = createDocumentActions({
    database,
    outbox,
    config: options.config ?? { executionRetentionMs: 90 * dayMs },
    types: options.types ?? shopTypes(options.hooks),
    navigationTargets: shopTargets,
  })
  return [actions, auditTimeline({ database, businessObjects, modules: [actions] })]
}

const lifecycle = ['view', 'create', 'post', 'unpost', 'repost', 'mark_for_deletion', 'view_audit']
const custom = ['write_off', 'rename', 'open_customer']

/** All permissions on the documents of the shop. */
export const allPermissions: readonly string[] = [
  ...lifecycle.flatMap((action) => [`document.shop.order.${action}`, `document.shop.invoice.${action}`]),
  ...custom.map((action) => `document.shop.invoice.${action}`),
]

/** Returns all permissions except those that end with the given segments. */
export const allBut = (...actions: readonly string[]): readonly string[] =>
  allPermissions.filter((permission) => !actions.some((action) => permission.endsWith(`.${action}`)))

export interface Execution {
  readonly expectedVersion?: number
  readonly payload?: unknown
  readonly reason?: string | null
  /** The idempotency key. Default: a new one. */
  readonly key?: string
}

/** Requests an action. The default expected version is 1. */
export function execute(
  request: TestRequest,
  document: Pick<StoredDocument, 'typeCode' | 'id'>,
  actionCode: string,
  { key = newId(), expectedVersion = 1, ...rest }: Execution = {},
): Promise<Response> {
  return request('POST', `/api/documents/${document.typeCode}/${document.id}/actions/${actionCode}`, {
    headers: { 'Idempotency-Key': key },
    body: { expectedVersion, ...rest },
  })
}

/** Requests an action and expects success. */
export async function executed(...call: Parameters<typeof execute>): Promise<ExecutionResult> {
  return expectJson<ExecutionResult>(await execute(...call), 200)
}

/** Requests a dry run of an action, without a key. The default expected version is 1. */
export function dryRun(
  request: TestRequest,
  document: Pick<StoredDocument, 'typeCode' | 'id'>,
  actionCode: string,
  { expectedVersion = 1, ...rest }: Omit<Execution, 'key'> = {},
): Promise<Response> {
  const path = `/api/documents/${document.typeCode}/${document.id}/actions/${actionCode}?dryRun=true`
  return request('POST', path, { body: { expectedVersion, ...rest } })
}

/** One document of a batch, and its input. The default expected version is 1. */
export interface BatchEntry {
  readonly id: string
  readonly expectedVersion?: number
  readonly payload?: unknown
}

/** Requests an action for several invoices. */
export function executeBatch(
  request: TestRequest,
  entries: readonly BatchEntry[],
  actionCode: string,
  { key = newId(), reason = null }: Pick<Execution, 'key' | 'reason'> = {},
): Promise<Response> {
  const items = entries.map(({ id, expectedVersion = 1, payload }) => ({ id, expectedVersion, payload }))
  return request('POST', `/api/documents/shop.invoice/actions/${actionCode}/batch`, {
    headers: { 'Idempotency-Key': key },
    body: { items, reason },
  })
}

/** Requests a batch, and returns the result for each document. */
export async function batchResults(
  ...call: Parameters<typeof executeBatch>
): Promise<readonly BatchItemResult[]> {
  return (await expectJson<BatchResult>(await executeBatch(...call), 200)).results
}

/** Returns the status of each document of a batch, with the error code of a failure. */
export const outcomesOf = (results: readonly BatchItemResult[]): readonly string[] =>
  results.map((one) => ('problem' in one ? `${one.status} ${one.problem.code}` : String(one.status)))
