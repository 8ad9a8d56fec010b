import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The refusals of the hub before it opens a connection. */
export const RealtimeError = defineErrors('RealtimeError', {
  'work_center.origin_refused': refusal(403, 'Pages of this origin may not connect here.'),
  'work_center.too_many_connections': refusal<{ maxConnections: number }>(
    429,
    'You have too many connections open. Close some first.',
  ),
})
