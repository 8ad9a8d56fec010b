import { type AuditSource, CoreError, createBell, type KitModule } from '@vertical-kit/core-audit'
import { holds } from '@vertical-kit/core-audit/access'
import type { Database } from '@vertical-kit/core-audit/database'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { type BusinessObjects, type ContentCounter, contentAccess } from '@vertical-kit/core-audit/objects'
import type { FeatureDefinition, FeatureFlags } from '@vertical-kit/feature-flags'
import type { Hono } from 'hono'
import { auditModule, downloadOf } from './audit.ts'
import type { AttachmentsConfig } from './config.ts'
import { type AttachmentsContent, attachmentsContent } from './content.ts'
import { AttachmentsError } from './errors.ts'
import { createExpiration } from './expiration.ts'
import { attachmentsMigrations } from './migrations.ts'
import { attachmentsPermissions } from './permissions.ts'
import { attachmentsActivity } from './queries/attachments-activity.ts'
import { countAttachments } from './queries/list-attachments.ts'
import { attachmentsRoutes } from './routes.ts'
import { clamdScanner } from './scanning/clamd.ts'
import { createScanWorker, scanHealth } from './scanning/scan-worker.ts'
import type { ScanFile } from './scanning/scanner.ts'
import { anchorStore, type StoreAnchor } from './storage/anchor-store.ts'
import type { ObjectStorage } from './storage/object-storage.ts'
import { createS3Storage, type S3StorageOptions } from './storage/s3-storage.ts'
import { createStoreClock } from './storage/store-clock.ts'
import { version } from './version.ts'

/** The feature to register in the deployment. It is off unless `FeatureManagement__Attachments` is true. */
export const attachmentsFeature: FeatureDefinition = {
  code: 'Attachments',
  displayName: 'Attachments',
  group: 'Attachments & Notes',
}

/** The parts of a host that attachments use. `features` must define `attachmentsFeature`, even while the feature is off. */
export interface AttachmentsOptions {
  readonly database: Database
  readonly businessObjects: BusinessObjects
  readonly features: FeatureFlags
  readonly config: AttachmentsConfig
  /**
   * Scans completed uploads for malware before users can download them. Default: the ClamAV daemon of `config.clamd`, or no scan.
   */
  readonly scanner?: ScanFile
  /** The clock for signatures. Default: the database's clock. */
  readonly now?: () => number
}

/** The attachments module. `counter` is for the content summary, and `auditSource` is for the audit timeline. */
export interface Attachments extends KitModule, AttachmentsContent {
  readonly router: Hono<KitEnv>
  readonly counter: ContentCounter
  readonly auditSource: AuditSource
  /** Stores anchors of `createAuditSealing` in the bucket. Undefined unless `config.storage.storesAuditAnchors` is true. */
  readonly storeAnchor: StoreAnchor | undefined
}

/**
 * Creates the attachments module. While the feature is off, the module does not use the object store, and the worker that
 * expires uploads runs only if `isUploadExpirationEnabled` is true.
 *
 * @throws {TypeError} if the feature is on and `config.storage` is null
 */
export function createAttachments(options: AttachmentsOptions): Attachments {
  const { database, businessObjects, features, config } = options
  const isEnabled = features.isEnabled(attachmentsFeature.code)
  const store = isEnabled ? createStore(options) : null
  const requireStorage = (): ObjectStorage => {
    if (store === null) throw new CoreError('feature.disabled')
    return store.storage
  }
  const access = contentAccess({
    businessObjects,
    notFound: () => new AttachmentsError('attachments.not_found'),
  })
  const content = attachmentsContent({ requireStorage, newId: database.newId, config, access })
  const guard = features.require(attachmentsFeature.code)
  const scanning = store === null ? null : createScanning(options, store.storage)
  return {
    ...content,
    name: attachmentsMigrations.name,
    version,
    router: attachmentsRoutes({
      ...{ database, access, content, config, guard, requireStorage },
      scanBell: scanning?.bell ?? null,
    }),
    permissions: attachmentsPermissions,
    errors: [AttachmentsError],
    migrations: attachmentsMigrations,
    workers: [
      ...(isEnabled || config.isUploadExpirationEnabled ? [createExpiration({ database, config })] : []),
      ...(store === null ? [] : [store.clock.worker]),
      ...(scanning === null ? [] : [scanning.worker]),
    ],
    health: [
      ...(store === null ? [] : [store.clock.health]),
      ...(scanning === null ? [] : [scanning.health]),
    ],
    storeAnchor: store?.options.config.storesAuditAnchors === true ? anchorStore(store.options) : undefined,
    ...(store !== null && {
      async doctor() {
        const { storeChecks } = await import('./storage/store-checks.ts')
        const { findNewestFile } = await import('./queries/find-newest-file.ts')
        return storeChecks({ ...store.options, findNewestFile: () => database.read(findNewestFile) })
      },
    }),
    counter: {
      content: 'attachments',
      isEnabled,
      readPermission: 'system.attachments.read',
      count: countAttachments,
    },
    activity: attachmentsActivity({ isEnabled }),
    auditSource: {
      module: auditModule,
      isEnabled,
      isVisibleTo: (caller) => holds(caller, 'system.attachments.read'),
      downloadOf,
    },
  }
}

/** Returns `null` if completed uploads are not scanned. */
function createScanning({ database, config, scanner }: AttachmentsOptions, storage: ObjectStorage) {
  const scan = scanner ?? (config.clamd === null ? null : clamdScanner(config.clamd))
  if (scan === null) return null
  const bell = createBell()
  const worker = createScanWorker({ database, config, storage, scan, bell })
  return { bell, worker, health: scanHealth({ database }) }
}

function createStore({ database, config, now = database.clock.now }: AttachmentsOptions) {
  const { storage, uploadLifetimeMs, downloadLifetimeMs } = config
  if (storage === null) throw new TypeError('config.storage is required while the Attachments feature is on')
  const clock = createStoreClock({ endpoint: storage.internalEndpoint, now })
  const options: S3StorageOptions = {
    ...{ config: storage, uploadLifetimeMs, downloadLifetimeMs },
    ...{ now, signingNow: clock.now },
  }
  return { clock, options, storage: createS3Storage(options) }
}
