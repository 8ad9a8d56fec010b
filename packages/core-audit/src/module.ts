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
 * What one package, or one part of an application, contributes to a host. Every `createX({...})` returns one; the host
 * lists each module once, and everything else is derived from that list.
 */
export interface KitModule {
  readonly name: string
  /** The release of a `@vertical-kit` package, from its own `package.json`; an application's own module has none. */
  readonly version?: string
  /** Mounted at `/`; routes contain their full path. */
  readonly router?: Hono<KitEnv>
  /** What roles can be granted. */
  readonly permissions?: readonly PermissionDefinition[]
  /** Its error classes, for the API description. */
  readonly errors?: readonly { readonly table: ErrorTable }[]
  /** Applied by the migrator before a host starts, also when a feature of the module is off. */
  readonly migrations?: MigrationPack
  /** Run by every host, API and background alike. */
  readonly workers?: readonly Worker[]
  readonly health?: readonly HealthCheck[]
  /** Its events in audit timelines. */
  readonly auditSource?: AuditSource
  /** Its count in content summaries. */
  readonly counter?: ContentCounter
  /** Takes part in a listening server: its sockets. Returns how to end that part. */
  attachTo?(server: Server): { close(): Promise<void> }
  /** Set by a module that gathers a contribution of others, so that a host notices a module that was not given to it. */
  readonly gathers?: Gathered
}

/** A contribution and the modules it was gathered from. */
export interface Gathered {
  readonly contribution: 'permissions' | 'auditSource' | 'counter'
  readonly modules: readonly KitModule[]
}
