import type { KitModule } from '@vertical-kit/core-audit'
import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { Identity } from '@vertical-kit/core-audit/identity'
import type { Outbox } from '@vertical-kit/core-audit/outbox'
import { Hono } from 'hono'
import { auditModule, peopleInTaskEvent } from './audit.ts'
import { createClock } from './clock.ts'
import type { WorkCenterConfig } from './config.ts'
import type { Channel } from './contract.ts'
import { checkDefinitions } from './definitions/check-definitions.ts'
import { type ItemDefinition, offering } from './definitions/definition.ts'
import { WorkCenterError } from './errors.ts'
import { consumeOutbox } from './event-handlers/consume-outbox.ts'
import type { EventHandler } from './event-handlers/event-handler.ts'
import { taskHealth } from './health.ts'
import { createInboxWriter, type WriteInbox } from './inbox/inbox.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { workCenterMigrations } from './migrations.ts'
import { workCenterPermissions } from './permissions.ts'
import { tasksActivity } from './queries/tasks-activity.ts'
import { createRetention } from './retention.ts'
import { workCenterRoutes } from './routes.ts'
import { substitutionRoutes } from './substitution-routes.ts'
import { teamRoutes } from './team-routes.ts'
import { version } from './version.ts'
import { createWatch } from './watch/watch.ts'
import type { WatchOptions } from './watch/watched-objects.ts'

/** The definitions and event handlers of all verticals of a deployment. A host creates one Work Center. */
export interface WorkCenterOptions {
  readonly database: Database
  /** The source of the events. The event handlers run only in hosts that list the worker `outbox.processing`. */
  readonly outbox: Outbox
  readonly config: WorkCenterConfig
  /** All kinds of tasks and notifications that the event handlers write. Users can set a preference for each kind. */
  readonly definitions: readonly ItemDefinition[]
  /** The channels of the deployment, `['InApp']` by default. Add `Email` if a host sends mail: see `createMail`. */
  readonly channels?: readonly Channel[]
  /** The vertical's event handlers. */
  readonly eventHandlers: readonly EventHandler[]
  /** Provides the codes of the roles that grant all permissions. */
  readonly identity: Pick<Identity, 'administratorRoleCodes'>
  /** Lets users follow business objects, and notifies them of changes and mentions. */
  readonly watch?: WatchOptions
  /**
   * Notifies open pages: pass `(versions) => realtime.publish(versions)`. Realtime needs identity, which needs this module's
   * permissions. By default, pages show changes after their next request.
   */
  readonly announce?: AnnounceChanges
}

/** The module of the Work Center, and a function that writes items without an event. */
export interface WorkCenter extends KitModule {
  /** All kinds of tasks and notifications: those of the options, and those of `watch`. */
  readonly definitions: readonly ItemDefinition[]
  /** Writes tasks and notifications in a new transaction, for verticals that write without an event. */
  readonly write: WriteInbox
}

/**
 * Creates the module with its routes, permissions, errors, migrations and workers. Pass it to `createIdentity` and
 * `auditTimeline`, too. Registers the outbox consumer that runs the event
 * handlers. Nothing runs until a host starts the module.
 *
 * @throws {TypeError} if a definition is invalid; the message lists all problems
 */
export function createWorkCenter(options: WorkCenterOptions): WorkCenter {
  const { database, outbox, config, identity, channels = ['InApp'], announce = () => {} } = options
  const watch = options.watch === undefined ? null : createWatch(options.watch)
  const definitions = [...options.definitions, ...(watch?.definitions ?? [])]
  const eventHandlers = [...options.eventHandlers, ...(watch?.eventHandlers ?? [])]
  checkDefinitions(definitions)
  const { administratorRoleCodes } = identity
  const common = { database, config, definitions, channels, administratorRoleCodes, announce }
  const offered = offering(definitions, channels)
  const withPreference = offered.filter(({ code }) => !watch?.hiddenCodes.includes(code))
  consumeOutbox(outbox, { ...common, eventHandlers })
  return {
    name: workCenterMigrations.name,
    version,
    router: workCenterRoutes({ ...common, definitions: withPreference })
      .route('/', teamRoutes({ ...common, definitions: offered }))
      .route('/', substitutionRoutes(common))
      .route('/', watch?.router(database) ?? new Hono<KitEnv>()),
    permissions: workCenterPermissions,
    health: [taskHealth(common)],
    doctor: async () => [(await import('./definitions/role-check.ts')).roleCheck(common)],
    auditSource: { module: auditModule, isVisibleTo: () => true, peopleIn: peopleInTaskEvent },
    errors: [WorkCenterError],
    migrations: workCenterMigrations,
    activity: tasksActivity,
    workers: [
      createClock({ ...common, definitions: offered }),
      createRetention(common),
      ...(watch?.workers(common) ?? []),
    ],
    write: createInboxWriter(common),
    definitions,
  }
}
