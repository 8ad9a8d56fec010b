import {
  type AuditSource,
  type Database,
  type ErrorTable,
  type KitModule,
  releaseTrain,
} from '@vertical-kit/core-audit'
import type { DocumentType } from './actions/document-type.ts'
import { createTypeRegistry } from './actions/registry.ts'
import { auditModule } from './audit.ts'
import type { DocumentActionsConfig } from './config.ts'
import { DocumentActionsError } from './errors.ts'
import { documentActionsMigrations } from './migrations.ts'
import { documentActionsPermissions } from './permissions.ts'
import { createRetention } from './retention.ts'
import { documentActionsRoutes } from './routes.ts'

export interface DocumentActionsOptions {
  readonly database: Database
  readonly config: DocumentActionsConfig
  /** Every type whose documents have actions. */
  readonly types: readonly DocumentType[]
  /** Places of the user interface that navigations lead to, by name; none when absent. */
  readonly navigationTargets?: readonly string[]
  /** Error classes of the vertical that its handlers refuse with, for the API description; none when absent. */
  readonly handlerErrors?: readonly { readonly table: ErrorTable }[]
  /**
   * Called after each commit of an execution, which has appended an event; a replay appends none. `ring` of the bell of who
   * handles events. Does not throw.
   */
  readonly onEventsCommitted?: () => void
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
  const { database, config, handlerErrors = [], onEventsCommitted = () => {} } = options
  const types = createTypeRegistry({
    types: options.types,
    navigationTargets: options.navigationTargets ?? [],
  })
  return {
    name: documentActionsMigrations.name,
    version: releaseTrain,
    router: documentActionsRoutes({
      database,
      types,
      onEventsCommitted,
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
