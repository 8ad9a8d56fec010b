import { type AttachmentsConfig, attachmentsFeature, readAttachmentsConfig } from '@vertical-kit/attachments'
import {
  type AuditSealingConfig,
  readAuditRetentionYears,
  readAuditSealingConfig,
} from '@vertical-kit/core-audit/audit'
import { type HostDatabaseConfig, readDatabaseConfig } from '@vertical-kit/core-audit/database'
import {
  type Environment,
  type EnvironmentReader,
  type MetricsConfig,
  type RateLimitConfig,
  readConfiguration,
  readLogLevel,
  readMetricsConfig,
  readRateLimitConfig,
  readServerConfig,
  type ServerConfig,
} from '@vertical-kit/core-audit/host'
import { type OidcConfig, readOidcConfig } from '@vertical-kit/core-audit/identity'
import { type OutboxConfig, readOutboxConfig } from '@vertical-kit/core-audit/outbox'
import { type DocumentActionsConfig, readDocumentActionsConfig } from '@vertical-kit/document-actions'
import { type FeatureRegistration, readFeatures } from '@vertical-kit/feature-flags'
import { type NotesConfig, notesFeature, readNotesConfig } from '@vertical-kit/notes'
import {
  type RealtimeConfig,
  readRealtimeConfig,
  readWorkCenterConfig,
  type WorkCenterConfig,
} from '@vertical-kit/work-center'
import { type MailConfig, readMailConfig } from '@vertical-kit/work-center/mail'

/** The parsed configuration of a host. */
export interface HostConfig {
  readonly database: HostDatabaseConfig
  readonly oidc: OidcConfig
  readonly features: FeatureRegistration
  readonly attachments: AttachmentsConfig
  readonly notes: NotesConfig
  readonly documentActions: DocumentActionsConfig
  readonly auditSealing: AuditSealingConfig
  readonly outbox: OutboxConfig
  readonly workCenter: WorkCenterConfig
  readonly realtime: RealtimeConfig
  /** `null` if the deployment sends no mail. */
  readonly mail: MailConfig | null
  readonly server: ServerConfig
  readonly metrics: MetricsConfig | undefined
  readonly rateLimit: RateLimitConfig
  readonly logLevel: string
}

/**
 * Parses the whole environment of a host.
 * @throws {ConfigurationError} with all problems; the error message contains no configured values
 */
export function readHostConfig(environment: Environment): HostConfig {
  return readConfiguration(environment, readHost)
}

/** Reads the configuration keys of a host. The demo reads them together with the keys that only the demo has. */
export function readHost(env: EnvironmentReader): HostConfig {
  const features = readFeatures(env, [attachmentsFeature, notesFeature])
  // Used by `audit drop`, which can run years later.
  readAuditRetentionYears(env)
  return {
    database: readDatabaseConfig(env),
    oidc: readOidcConfig(env),
    features,
    attachments: readAttachmentsConfig(env, {
      isEnabled: features.values.get(attachmentsFeature.code) ?? false,
    }),
    notes: readNotesConfig(env),
    documentActions: readDocumentActionsConfig(env),
    auditSealing: readAuditSealingConfig(env),
    outbox: readOutboxConfig(env),
    workCenter: readWorkCenterConfig(env),
    realtime: readRealtimeConfig(env),
    mail: readMailConfig(env),
    server: readServerConfig(env),
    metrics: readMetricsConfig(env),
    rateLimit: readRateLimitConfig(env),
    logLevel: readLogLevel(env),
  }
}

/** Reads a TCP port. The value 0 selects a free port. */
export function readPort(env: EnvironmentReader, key: string, standard: number): number {
  return env.integer(key, { default: standard, min: 0, max: 65_535 })
}
