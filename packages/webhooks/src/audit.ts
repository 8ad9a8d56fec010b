import type { NewAuditEvent } from '@vertical-kit/core-audit'

/** The changes that an operator can make to an endpoint. */
export type EndpointAction =
  | 'webhooks.endpoint_added'
  | 'webhooks.endpoint_enabled'
  | 'webhooks.endpoint_disabled'
  | 'webhooks.secret_rotated'

export interface EndpointChange {
  readonly actionCode: EndpointAction
  readonly endpointId: string
  /** The operator's account name on the machine, because the command line has no sign-in. */
  readonly operator: string
}

/** Creates the audit event of an operator's change. It contains neither the URL, which can hold a token, nor a secret. */
export const endpointChanged = ({ actionCode, endpointId, operator }: EndpointChange): NewAuditEvent =>
  eventOf(endpointId, actionCode, { operator })

/** An operator's decision to send finished deliveries of an endpoint again. */
export interface Redelivered {
  readonly endpointId: string
  readonly count: number
  /** Present if the operator selected one event; otherwise these were dead letters. */
  readonly eventId: string | undefined
  readonly operator: string
}

/** Creates the audit event of deliveries that are sent again. */
export const redelivered = ({ endpointId, eventId, ...metadata }: Redelivered): NewAuditEvent =>
  eventOf(endpointId, 'webhooks.redelivered', { ...metadata, ...(eventId === undefined ? {} : { eventId }) })

/** An operator's decision not to send dead letters of an endpoint. */
export interface DiscardedDeadLetters {
  readonly endpointId: string
  readonly count: number
  /** Present if the operator selected one delivery. */
  readonly deliveryId: string | undefined
  readonly reason: string
  readonly operator: string
}

/** Creates the audit event of discarded dead letters. */
export const deadLettersDiscarded = ({
  endpointId,
  deliveryId,
  ...metadata
}: DiscardedDeadLetters): NewAuditEvent =>
  eventOf(endpointId, 'webhooks.dead_letters_discarded', {
    ...metadata,
    ...(deliveryId === undefined ? {} : { deliveryId }),
  })

const eventOf = (
  endpointId: string,
  actionCode: string,
  metadata: NewAuditEvent['metadata'] & object,
): NewAuditEvent => ({
  module: 'webhooks',
  target: { kind: 'WebhookEndpoint', typeCode: 'webhooks.endpoint', id: endpointId },
  actionCode,
  actorUserId: null,
  correlationId: null,
  metadata,
})
