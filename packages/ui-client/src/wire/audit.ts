/** One event of a timeline. `actor` is null for changes by the service itself. */
export interface AuditEvent {
  id: string
  target: { kind: string; typeCode: string; id: string }
  actionCode: string
  occurredAtUtc: string
  actor: { userId: string; displayName: string; email: string | null } | null
  correlationId: string | null
  metadata: { [name: string]: unknown } | null
  changes: { fieldPath: string; oldValue: unknown; newValue: unknown }[]
  download: { attachmentId: string } | null
}
