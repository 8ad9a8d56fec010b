import type { NewAuditEvent } from '../audit/commands/record-audit.ts'
import { consumerAction, type outboxActions, securityModule } from '../audit/security-events.ts'

/** The changes that an operator can make to a dead letter. */
export type DeadLetterAction = (typeof outboxActions)[number]

/** A user of the API, or the name of an account on the machine, because the command line has no sign-in. */
export type OutboxOperator = { readonly userId: string } | { readonly operator: string }

/** An operator's change to one delivery. */
export interface DeadLetterChange {
  readonly actionCode: DeadLetterAction
  readonly event: { readonly id: string; readonly type: string; readonly correlationId: string | null }
  readonly consumer: string
  readonly attempts: number
  readonly reason: string
  readonly by: OutboxOperator
}

/** Creates the audit event of an operator's change. */
export function deadLetterEvent(change: DeadLetterChange): NewAuditEvent {
  const { actionCode, event, consumer, attempts, reason, by } = change
  return {
    module: securityModule,
    target: { kind: 'OutboxEvent', typeCode: event.type, id: event.id },
    actionCode,
    actorUserId: 'userId' in by ? by.userId : null,
    correlationId: event.correlationId,
    metadata: { consumer, attempts, reason, ...operatorIn(by) },
  }
}

/** The removal of a consumer. */
export interface UnregisteredConsumer {
  /** An id for the target of the audit event: a consumer has only a name. */
  readonly id: string
  readonly consumer: string
  readonly discardedCount: number
  readonly reason: string
  readonly by: OutboxOperator
}

/** Creates the audit event of a removed consumer. */
export function unregisteredEvent(removed: UnregisteredConsumer): NewAuditEvent {
  const { id, consumer, discardedCount, reason, by } = removed
  return {
    module: securityModule,
    target: { kind: 'OutboxConsumer', typeCode: consumer, id },
    actionCode: consumerAction,
    actorUserId: 'userId' in by ? by.userId : null,
    correlationId: null,
    metadata: { consumer, discardedCount, reason, ...operatorIn(by) },
  }
}

const operatorIn = (by: OutboxOperator) => ('operator' in by ? { operator: by.operator } : {})
