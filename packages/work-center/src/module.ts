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
  /** What its event handlers handle the events of, in hosts that list `outbox.processing`. */
  readonly outbox: Outbox
  readonly config: WorkCenterConfig
  /** Every kind of task and notification that its event handlers write: what preferences are about. */
  readonly definitions: readonly ItemDefinition[]
  /** What events mean, in the vertical's words. */
  readonly eventHandlers: readonly EventHandler[]
  /** Whose administrator roles may view every source. */
  readonly identity: Pick<Identity, 'administratorRoleCodes'>
  /** Tells open pages: `publish` of `createRealtime`. Without it they find out when they ask. */
  readonly announce?: AnnounceChanges
}

/** The Work Center module, and what a host registers or hands on beside it. */
export interface WorkCenter extends KitModule {
  /** For a vertical that writes tasks and notifications in a transaction of its own, without an event. */
  readonly write: WriteInbox
}

/**
 * Routes, errors, migrations and workers, and the consumer of the outbox that runs the event handlers; nothing runs before
 * the host starts it.
 *
 * @throws {TypeError} naming everything that is wrong with the definitions
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
