import { defineErrors, refusal } from '@vertical-kit/core-audit'

/** The refusals of the hub before it opens a connection. */
export const RealtimeError = defineErrors('RealtimeError', {
  'work_center.origin_refused': refusal(403, 'Pages from this origin are not allowed to connect.'),
  'work_center.too_many_connections': refusal<{ maxConnections: number }>(
    429,
    'You have too many open connections. Close other tabs and try again.',
  ),
})
