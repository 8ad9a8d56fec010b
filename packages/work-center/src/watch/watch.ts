import type { Database } from '@vertical-kit/core-audit/database'
import type { Worker } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { Hono } from 'hono'
import type { NotificationDefinition } from '../definitions/definition.ts'
import type { EventHandler } from '../event-handlers/event-handler.ts'
import { createFollowAudit, type FollowAuditOptions } from './follow-audit.ts'
import { createMentionHandler } from './mention-handler.ts'
import { watchDefinitions } from './watch-definitions.ts'
import { watchRoutes } from './watch-routes.ts'
import type { WatchOptions } from './watched-objects.ts'

/** The parts of the Work Center that concern followed objects and mentions. */
export interface WatchParts {
  readonly definitions: readonly NotificationDefinition[]
  /** The codes of the definitions without a preference, because their feature is off. */
  readonly hiddenCodes: readonly string[]
  readonly eventHandlers: readonly EventHandler[]
  router(database: Database): Hono<KitEnv>
  workers(options: Omit<FollowAuditOptions, keyof WatchOptions | 'definition'>): readonly Worker[]
}

export function createWatch(options: WatchOptions): WatchParts {
  const { objectChanged, mentioned: mentionedDefinition } = watchDefinitions()
  const { mentioned, offersMentions = true } = options
  const isMentioning = mentioned !== undefined
  return {
    definitions: [objectChanged, ...(isMentioning ? [mentionedDefinition] : [])],
    hiddenCodes: offersMentions ? [] : [mentionedDefinition.code],
    eventHandlers: isMentioning
      ? [createMentionHandler({ ...options, mentioned, definition: mentionedDefinition })]
      : [],
    router: (database) => watchRoutes({ database, businessObjects: options.businessObjects }),
    workers: (common) => [createFollowAudit({ ...common, ...options, definition: objectChanged })],
  }
}
