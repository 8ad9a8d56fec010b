import type { Server } from 'node:http'
import type { Hono } from 'hono'
import type { PermissionDefinition } from './access/permission.ts'
import type { AuditSource } from './audit/audit-source.ts'
import type { MigrationPack } from './database/migration-files.ts'
import type { ErrorTable } from './errors.ts'
import type { HealthCheck } from './host/health.ts'
import type { Worker } from './host/workers.ts'
import type { KitEnv } from './http/kit-env.ts'
import type { ContentCounter } from './objects/content-counter.ts'

/**
 * The contributions of one package, or of one part of an application, to a host. Every `createX({...})` returns one. The
 * host lists each module once and derives everything else from that list.
 */
export interface KitModule {
  readonly name: string
  /** The release of a `@vertical-kit` package, from its own `package.json`; an application's own modules have none. */
  readonly version?: string
  /** Mounted at `/`; routes contain their full path. */
  readonly router?: Hono<KitEnv>
  /** Permissions that roles can be granted. */
  readonly permissions?: readonly PermissionDefinition[]
  /** The module's error classes, for the API description. */
  readonly errors?: readonly { readonly table: ErrorTable }[]
  /** Applied by the migrator before a host starts, even when the module's feature is off. */
  readonly migrations?: MigrationPack
  /** Run by every host, API and background. */
  readonly workers?: readonly Worker[]
  readonly health?: readonly HealthCheck[]
  /** Shows the module's events in audit timelines. */
  readonly auditSource?: AuditSource
  /** Counts the module's content for content summaries. */
  readonly counter?: ContentCounter
  /** Attaches the module's sockets to a listening server. The returned `close` ends them. */
  attachTo?(server: Server): { close(): Promise<void> }
  /** Set by a module that collects a contribution from other modules. The host uses it to detect missing modules. */
  readonly gathers?: Gathered
}

/** A kind of contribution and the modules that it was collected from. */
export interface Gathered {
  readonly contribution: 'permissions' | 'auditSource' | 'counter'
  readonly modules: readonly KitModule[]
}
