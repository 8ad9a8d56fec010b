/** One event of an audit timeline. `actor` is null if the service itself made the change. */
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
