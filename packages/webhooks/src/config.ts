import type { EnvironmentReader } from '@vertical-kit/core-audit/host'
import type { SenderConfig } from '@vertical-kit/core-audit/outbox'

/** Which addresses may receive webhooks, and limits. */
export interface WebhooksConfig extends SenderConfig {
  /**
   * Also private, local and reserved addresses. Only for development, or if every operator may reach them anyway. The system
   * resolves their names, in a few threads that the process shares, so an endpoint whose name servers are slow can delay others.
   */
  readonly allowPrivateAddresses: boolean
  /** Also `http:`, which shows the events to everyone in between. */
  readonly allowInsecureHttp: boolean
}

/** The limits of a deployment that sets none. Its last retry follows about an hour after the first attempt. */
export const webhooksDefaults = {
  pollIntervalMs: 2_000,
  deadlineMs: 15_000,
  maxAttempts: 12,
  batchSize: 10,
  retentionMs: 30 * 86_400_000,
  allowPrivateAddresses: false,
  allowInsecureHttp: false,
} as const satisfies WebhooksConfig

/** Reads `Webhooks__Deadline`, `Webhooks__MaxAttempts`, `Webhooks__AllowPrivateAddresses` and `Webhooks__AllowInsecureHttp`. */
export function readWebhooksConfig(env: EnvironmentReader): WebhooksConfig {
  const { deadlineMs, maxAttempts } = webhooksDefaults
  return {
    ...webhooksDefaults,
    deadlineMs: env.durationMs('Webhooks__Deadline', { default: deadlineMs, min: 1_000, max: 120_000 }),
    maxAttempts: env.integer('Webhooks__MaxAttempts', { default: maxAttempts, min: 1, max: 100 }),
    allowPrivateAddresses: env.boolean('Webhooks__AllowPrivateAddresses', { default: false }),
    allowInsecureHttp: env.boolean('Webhooks__AllowInsecureHttp', { default: false }),
  }
}
