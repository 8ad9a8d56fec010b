import type { EnvironmentReader } from '@vertical-kit/core-audit'

export interface DocumentActionsConfig {
  /** How long a completed execution answers repeats of its key. */
  readonly executionRetentionMs: number
}

const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs

/** `DocumentActions__ExecutionRetention` (90 days; an hour to ten years). */
export function readDocumentActionsConfig(env: EnvironmentReader): DocumentActionsConfig {
  return {
    executionRetentionMs: env.durationMs('DocumentActions__ExecutionRetention', {
      default: 90 * dayMs,
      min: hourMs,
      max: 3_650 * dayMs,
    }),
  }
}
