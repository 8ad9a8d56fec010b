import type { AuditSource, ErrorTable, KitModule } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import type { DocumentType } from './actions/document-type.ts'
import { createTypeRegistry } from './actions/registry.ts'
import { auditModule, knownMetadata } from './audit.ts'
import type { DocumentActionsConfig } from './config.ts'
import { DocumentActionsError } from './errors.ts'
import { documentActionsMigrations } from './migrations.ts'
import { documentActionsPermissions } from './permissions.ts'
import { createRetention } from './retention.ts'
import { documentActionsRoutes } from './routes.ts'
import { version } from './version.ts'

/**
 * All document types of a deployment. A host creates one module for them, because their paths share `/api/documents`.
 */
export interface DocumentActionsOptions {
  readonly database: Database
  /** The outbox that receives one event per execution. */
  readonly outbox: Outbox
  readonly config: DocumentActionsConfig
  /** All document types with actions. */
  readonly types: readonly DocumentType[]
  /** The names of user interface pages that navigations can open. Default: none. */
  readonly navigationTargets?: readonly string[]
  /** The vertical's error classes that handlers throw, for the API description. Default: none. */
  readonly handlerErrors?: readonly { readonly table: ErrorTable }[]
}

/** The document actions module, with its source of the audit timeline. */
export interface DocumentActions extends KitModule {
  readonly auditSource: AuditSource
}

/**
 * Creates the document actions module: routes for editor state, actions and effects, permissions, timeline events, and
 * the worker that deletes old executions.
 *
 * @throws {TypeError} if types or actions are invalid; the message lists every problem
 */
export function createDocumentActions(options: DocumentActionsOptions): DocumentActions {
  const { database, outbox, config, handlerErrors = [] } = options
  const types = createTypeRegistry({
    types: options.types,
    navigationTargets: options.navigationTargets ?? [],
  })
  return {
    name: documentActionsMigrations.name,
    version,
    router: documentActionsRoutes({
      database,
      outbox,
      types,
      handlerErrors: handlerErrors.flatMap(({ table }) => Object.keys(table)),
    }),
    permissions: documentActionsPermissions(types),
    errors: [DocumentActionsError, ...handlerErrors],
    migrations: documentActionsMigrations,
    workers: [createRetention({ database, config })],
    // Every caller with access to the timeline of a document may read its executions.
    auditSource: { module: auditModule, isVisibleTo: () => true, metadataFor: knownMetadata },
  }
}
