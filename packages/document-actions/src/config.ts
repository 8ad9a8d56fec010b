import type { EnvironmentReader } from '@vertical-kit/core-audit/host'

export interface DocumentActionsConfig {
  /** How long a completed execution answers repeats of its key. */
  readonly executionRetentionMs: number
}

const dayMs = 24 * 60 * 60 * 1_000

/** `DocumentActions__ExecutionRetention` (90 days; a second to ten years). */
export function readDocumentActionsConfig(env: EnvironmentReader): DocumentActionsConfig {
  return {
    executionRetentionMs: env.durationMs('DocumentActions__ExecutionRetention', {
      default: 90 * dayMs,
      min: 1_000,
      max: 3_650 * dayMs,
    }),
  }
}
