import type { Server } from 'node:http'
import type { Hono } from 'hono'
import type { PermissionDefinition } from './access/permission.ts'
import type { AuditSource } from './audit/audit-source.ts'
import type { Db } from './database/database.ts'
import type { MigrationPack } from './database/migration-files.ts'
import type { DoctorCheck } from './doctor/check.ts'
import type { ErrorTable } from './errors.ts'
import type { HealthCheck } from './host/health.ts'
import type { Worker } from './host/workers.ts'
import type { KitEnv } from './http/kit-env.ts'
import type { ActivitySource } from './objects/activity-source.ts'
import type { ContentCounter } from './objects/content-counter.ts'

/**
 * The contributions of one package, or of one part of an application, to a host. Functions such as `createNotes({...})`
 * return a module. The host lists each module once and derives its routes, permissions and migrations from this list.
 */
export interface KitModule {
  readonly name: string
  /** The release of a `@vertical-kit` package, from its `package.json`. Modules of an application have no version. */
  readonly version?: string
  /** The routes, which contain their full path. The host mounts the router at `/`. */
  readonly router?: Hono<KitEnv>
  /** Permissions that can be granted to roles. */
  readonly permissions?: readonly PermissionDefinition[]
  /** The module's error classes, for the API description. */
  readonly errors?: readonly { readonly table: ErrorTable }[]
  /** The migrations. The migrator applies them before a host starts, even if the module's feature is disabled. */
  readonly migrations?: MigrationPack
  /** Workers that run in every API host and in every background host. */
  readonly workers?: readonly Worker[]
  readonly health?: readonly HealthCheck[]
  /**
   * Checks stored data before the host starts, after its migrations.
   * @throws {CannotStartError} if the host must not start with this data
   */
  checkStart?(db: Db): Promise<void>
  /** Loads the module's checks of a deployment, which `runDoctorCommand` and the start of a host run. */
  doctor?(): Promise<readonly DoctorCheck[]>
  /** Shows the module's events in audit timelines. */
  readonly auditSource?: AuditSource
  /** Counts the module's content for content summaries. */
  readonly counter?: ContentCounter
  /** Lists the module's content in the activity of an object. */
  readonly activity?: ActivitySource
  /** Attaches the module's sockets to a listening server. The returned `close` ends them. */
  attachTo?(server: Server): { close(): Promise<void> }
  /** Present if the module collects contributions from other modules. The host checks this list for missing modules. */
  readonly gathers?: Gathered
}

/** A kind of contribution, and the modules from which it was collected. */
export interface Gathered {
  readonly contribution: 'permissions' | 'auditSource' | 'counter'
  readonly modules: readonly KitModule[]
}
