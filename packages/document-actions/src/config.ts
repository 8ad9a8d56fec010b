import type { EnvironmentReader } from '@vertical-kit/core-audit/host'

/** `readDocumentActionsConfig` reads it from the section `DocumentActions__`. */
export interface DocumentActionsConfig {
  /** The time during which a repeat of a request receives the stored answer of its execution. */
  readonly executionRetentionMs: number
}

const dayMs = 24 * 60 * 60 * 1_000

/** Reads `DocumentActions__ExecutionRetention` (default: 90 days; 1 second to 10 years). */
export function readDocumentActionsConfig(env: EnvironmentReader): DocumentActionsConfig {
  return {
    executionRetentionMs: env.durationMs('DocumentActions__ExecutionRetention', {
      default: 90 * dayMs,
      min: 1_000,
      max: 3_650 * dayMs,
    }),
  }
}
