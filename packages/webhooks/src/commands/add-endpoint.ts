import { recordAudit, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { endpointChanged } from '../audit.ts'
import { WebhooksError } from '../errors.ts'
import { type EndpointRules, endpointUrl } from '../post.ts'
import { newSecret } from '../signature.ts'

export interface AddEndpoint {
  readonly url: string
  /** Empty for all events. */
  readonly eventTypes: readonly string[]
  readonly operator: string
}

/**
 * Adds an endpoint. It receives events that are handled after the commit. Returns its secret, which is shown only now.
 * @throws {WebhooksError} webhooks.url_invalid · webhooks.address_refused · webhooks.event_type_invalid
 */
export async function addEndpoint(
  tx: Tx,
  rules: EndpointRules,
  { url, eventTypes, operator }: AddEndpoint,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { href } = endpointUrl(url, rules)
  if (eventTypes.some((type) => !/^[\w-]+(\.[\w-]+)*$/.test(type))) {
    throw new WebhooksError('webhooks.event_type_invalid')
  }
  const [id, secret] = [tx.newId(), newSecret()]
  await tx.execute(sql`
    insert into webhooks.endpoints (id, url, event_types, secret)
    values (${id}::uuid, ${href}, ${sql.param(eventTypes)}::text[], ${secret})`)
  await recordAudit(tx, endpointChanged({ actionCode: 'webhooks.endpoint_added', endpointId: id, operator }))
  return { id, secret }
}
