import type { AuditSource, ErrorTable, KitModule } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import type { DocumentType } from './actions/document-type.ts'
import { createTypeRegistry } from './actions/registry.ts'
import { auditModule } from './audit.ts'
import type { DocumentActionsConfig } from './config.ts'
import { DocumentActionsError } from './errors.ts'
import { documentActionsMigrations } from './migrations.ts'
import { documentActionsPermissions } from './permissions.ts'
import { createRetention } from './retention.ts'
import { documentActionsRoutes } from './routes.ts'
import { version } from './version.ts'

export interface DocumentActionsOptions {
  readonly database: Database
  /** Receives the event of each execution. */
  readonly outbox: Outbox
  readonly config: DocumentActionsConfig
  /** Every type whose documents have actions. */
  readonly types: readonly DocumentType[]
  /** Places of the user interface that navigations lead to, by name; none when absent. */
  readonly navigationTargets?: readonly string[]
  /** Error classes of the vertical that its handlers refuse with, for the API description; none when absent. */
  readonly handlerErrors?: readonly { readonly table: ErrorTable }[]
}

/** The module, with what the audit timeline takes from it. */
export interface DocumentActions extends KitModule {
  readonly auditSource: AuditSource
}

/**
 * Documents' editor state, actions and effects: routes, permissions, timeline events, and the worker that forgets
 * executions past their retention.
 *
 * @throws {TypeError} naming everything that is wrong with the types and their actions
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
    // Who may read a document's timeline may read what was done to the document.
    auditSource: { module: auditModule, isVisibleTo: () => true },
  }
}
