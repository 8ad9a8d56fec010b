import type { KitModule } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { Identity } from '@vertical-kit/core-audit/identity'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { createClock } from './clock.ts'
import type { WorkCenterConfig } from './config.ts'
import { checkDefinitions } from './definitions/check-definitions.ts'
import type { ItemDefinition } from './definitions/definition.ts'
import { WorkCenterError } from './errors.ts'
import { consumeOutbox } from './event-handlers/consume-outbox.ts'
import type { EventHandler } from './event-handlers/event-handler.ts'
import { createInboxWriter, type WriteInbox } from './inbox/inbox.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { workCenterMigrations } from './migrations.ts'
import { createRetention } from './retention.ts'
import { workCenterRoutes } from './routes.ts'
import { version } from './version.ts'

export interface WorkCenterOptions {
  readonly database: Database
  /** The source of the events for the event handlers, which run in hosts that list `outbox.processing`. */
  readonly outbox: Outbox
  readonly config: WorkCenterConfig
  /** Every kind of task and notification that the event handlers write. Users can set a preference for each. */
  readonly definitions: readonly ItemDefinition[]
  /** The vertical's event handlers. */
  readonly eventHandlers: readonly EventHandler[]
  /** Provides the codes of the roles that grant all permissions. */
  readonly identity: Pick<Identity, 'administratorRoleCodes'>
  /** Notifies open pages: `publish` of `createRealtime`. Without it, pages see changes at their next request. */
  readonly announce?: AnnounceChanges
}

/** The Work Center module, with the function that writes items without an event. */
export interface WorkCenter extends KitModule {
  /** Writes tasks and notifications in a new transaction, for verticals that write without an event. */
  readonly write: WriteInbox
}

/**
 * Creates the module with its routes, errors, migrations and workers, and registers the outbox consumer that runs the event
 * handlers. Nothing runs before the host starts it.
 *
 * @throws {TypeError} listing all problems of the definitions
 */
export function createWorkCenter(options: WorkCenterOptions): WorkCenter {
  const { database, outbox, config, definitions, eventHandlers, identity, announce = () => {} } = options
  checkDefinitions(definitions)
  const { administratorRoleCodes } = identity
  const common = { database, config, definitions, administratorRoleCodes, announce }
  consumeOutbox(outbox, { ...common, eventHandlers })
  return {
    name: workCenterMigrations.name,
    version,
    router: workCenterRoutes(common),
    errors: [WorkCenterError],
    migrations: workCenterMigrations,
    workers: [createClock(common), createRetention(common)],
    write: createInboxWriter(common),
  }
}
