import { recordAudit, type SQL, sql } from '@vertical-kit/core-audit'
import type { Tx } from '@vertical-kit/core-audit/database'
import { type EndpointAction, endpointChanged } from '../audit.ts'
import { WebhooksError } from '../errors.ts'
import { newSecret } from '../signature.ts'

export interface ChangeEndpoint {
  readonly endpointId: string
  readonly operator: string
}

/** How long the previous secret also signs after a rotation. */
const rotationHours = 24

/**
 * Replaces the secret, and returns the new one. Both secrets sign all requests of the next 24 hours. A further rotation in this
 * time would end the oldest secret, which the receiver may still use: it is refused unless `isForced` is set.
 * @throws {WebhooksError} webhooks.endpoint_not_found · webhooks.rotation_running
 */
export async function rotateSecret(
  tx: Tx,
  { isForced, ...input }: ChangeEndpoint & { readonly isForced: boolean },
): Promise<string> {
  const secret = newSecret()
  const [running] = await tx.execute<{ is_running: boolean | null }>(sql`
    select previous_until > statement_timestamp() as is_running
    from webhooks.endpoints
    where id::text = lower(${input.endpointId})
    for update`)
  if (running?.is_running === true && !isForced) throw new WebhooksError('webhooks.rotation_running')
  const set = sql`
    previous_secret = secret, secret = ${secret},
    previous_until = statement_timestamp() + make_interval(hours => ${rotationHours}::int)`
  await change(tx, { ...input, set, actionCode: 'webhooks.secret_rotated' })
  return secret
}

/**
 * Stops or resumes the requests to an endpoint. Events that are handled while it is stopped are not sent to it later, and
 * requests that are due in this time are skipped. Changes nothing if the endpoint already has the wanted state.
 * @throws {WebhooksError} webhooks.endpoint_not_found
 */
export async function switchEndpoint(
  tx: Tx,
  { isActive, ...input }: ChangeEndpoint & { readonly isActive: boolean },
): Promise<void> {
  const [found] = await tx.execute<{ is_active: boolean }>(sql`
    select is_active from webhooks.endpoints where id::text = lower(${input.endpointId}) for update`)
  if (found?.is_active === isActive) return
  const actionCode = isActive ? 'webhooks.endpoint_enabled' : 'webhooks.endpoint_disabled'
  await change(tx, { ...input, set: sql`is_active = ${isActive}`, actionCode })
}

async function change(
  tx: Tx,
  { endpointId, operator, set, actionCode }: ChangeEndpoint & { set: SQL; actionCode: EndpointAction },
): Promise<void> {
  const rows = await tx.execute(sql`
    update webhooks.endpoints set ${set} where id::text = lower(${endpointId}) returning id`)
  if (rows.length === 0) throw new WebhooksError('webhooks.endpoint_not_found')
  await recordAudit(tx, endpointChanged({ actionCode, endpointId, operator }))
}
