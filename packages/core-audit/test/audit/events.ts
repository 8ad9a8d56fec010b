import { type NewAuditEvent, newId } from '@vertical-kit/core-audit'

/** An event of the module `things`, about a sales invoice unless the test says otherwise. */
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
