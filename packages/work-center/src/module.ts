import {
  type Bell,
  createOutboxRetention,
  type Database,
  type KitModule,
  type OutboxConsumer,
  releaseTrain,
} from '@vertical-kit/core-audit'
import { createClock } from './clock.ts'
import type { WorkCenterConfig } from './config.ts'
import type { DefinitionRegistry } from './definitions/registry.ts'
import { WorkCenterError } from './errors.ts'
import { createInboxWriter, type WriteInbox } from './inbox/inbox.ts'
import type { AnnounceChanges } from './inbox/version-changes.ts'
import { workCenterMigrations } from './migrations.ts'
import { createOutboxProcessing } from './policies/outbox-processing.ts'
import type { Policy } from './policies/policy.ts'
import { createRetention } from './retention.ts'
import { workCenterRoutes } from './routes.ts'

export interface WorkCenterOptions {
  readonly database: Database
  readonly config: WorkCenterConfig
  readonly definitions: DefinitionRegistry
  /** What events mean, in the vertical's words. */
  readonly policies: readonly Policy[]
  /** Codes of roles that may view everything: those the host gave to `createIdentity`. */
  readonly administratorRoleCodes: readonly string[]
  /** Tells open pages: `publish` of `createRealtime`. Without it they find out when they ask. */
  readonly announce?: AnnounceChanges
  /**
   * Rung after commits that appended events, so that they are handled now rather than with the next poll: give `ring` to
   * the modules of this process that append some, as `onEventsCommitted`.
   */
  readonly outboxBell?: Bell
}

/** The Work Center module, and what a host registers or hands on beside it. */
export interface WorkCenter extends KitModule {
  /**
   * Turns events into tasks and notifications. A registration of its own: every API host runs its worker and reports its
   * health; hosts of background jobs do neither.
   */
  readonly outboxProcessing: OutboxConsumer
  /** For a vertical that writes tasks and notifications in a transaction of its own, without an event. */
  readonly write: WriteInbox
}

/** Routes, errors, migrations and the workers that any host may run; nothing runs before the host starts it. */
export function createWorkCenter(options: WorkCenterOptions): WorkCenter {
  const {
    database,
    config,
    definitions,
    policies,
    administratorRoleCodes,
    outboxBell,
    announce = () => {},
  } = options
  const common = { database, config, definitions, administratorRoleCodes, announce }
  return {
    name: workCenterMigrations.name,
    version: releaseTrain,
    router: workCenterRoutes(common),
    // What users see goes by the permissions of its sources.
    permissions: [],
    errors: [WorkCenterError],
    migrations: workCenterMigrations,
    workers: [
      createClock(common),
      createRetention(common),
      createOutboxRetention({ database, config: { retentionMs: config.outboxRetentionMs } }),
    ],
    outboxProcessing: createOutboxProcessing({
      ...{ ...common, policies },
      ...(outboxBell === undefined ? {} : { bell: outboxBell }),
    }),
    write: createInboxWriter(common),
  }
}
