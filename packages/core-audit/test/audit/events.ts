import { type NewAuditEvent, newId } from '@vertical-kit/core-audit'

/** Creates an event of the module `things` about a sales invoice; a test can override every field. */
export function event(overrides: Partial<NewAuditEvent> = {}): NewAuditEvent {
  return {
    module: 'things',
    target: { kind: 'Document', typeCode: 'trade.sales_invoice', id: newId() },
    actionCode: 'things.changed',
    actorUserId: null,
    correlationId: null,
    ...overrides,
  }
}
