import { randomUUID } from 'node:crypto'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Admit } from './admission.ts'
import { Negotiation, workCenterHubPath } from './contract.ts'
import { toOrigin } from './origin.ts'

const negotiatePath = `${workCenterHubPath}/negotiate`

/**
 * Creates `POST /hubs/work-center/negotiate`, the first request of every SignalR client. The route authenticates the
 * caller, but stores nothing. The client can connect to any replica, which authenticates the caller again.
 */
export function hubRoutes(admit: Admit, allowedOrigins: ReadonlySet<string>): Hono<KitEnv> {
  const crossOrigin = cors({
    origin: (origin) => (allowedOrigins.has(toOrigin(origin)?.origin ?? '') ? origin : null),
    allowMethods: ['POST'],
    // SignalR clients send `credentials: 'include'`, so browsers require this header even without cookies.
    credentials: true,
    maxAge: 600,
  })
  const describe = api({
    operationId: 'negotiateWorkCenterHub',
    tag: 'Work Center',
    summary: 'Begins a SignalR connection that receives change notifications',
    description: 'Uses the SignalR JSON hub protocol over WebSockets. Connect with a SignalR client.',
    responses: { 200: { description: 'The available transports and a connection id', schema: Negotiation } },
    errors: ['work_center.origin_refused'],
  })
  return new Hono<KitEnv>().use(negotiatePath, crossOrigin).post(negotiatePath, describe, async (c) => {
    await admit(c.req.raw, { env: c.env, requestId: c.get('requestId'), logger: c.get('logger') })
    const answer: Negotiation = {
      negotiateVersion: 1,
      connectionId: randomUUID(),
      connectionToken: randomUUID(),
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text'] }],
    }
    return c.json(answer)
  })
}
