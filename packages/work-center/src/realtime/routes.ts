import { randomUUID } from 'node:crypto'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { Admit } from './admission.ts'
import { Negotiation, workCenterHubPath } from './contract.ts'
import { toOrigin } from './origin.ts'

const negotiatePath = `${workCenterHubPath}/negotiate`

/**
 * `POST /hubs/work-center/negotiate`, where every SignalR client begins. It authenticates, and keeps nothing: any replica
 * takes the connection that follows, and authenticates again.
 */
export function hubRoutes(admit: Admit, allowedOrigins: ReadonlySet<string>): Hono<KitEnv> {
  const crossOrigin = cors({
    origin: (origin) => (allowedOrigins.has(toOrigin(origin)?.origin ?? '') ? origin : null),
    allowMethods: ['POST'],
    // SignalR clients ask with credentials, of which there are none here.
    credentials: true,
    maxAge: 600,
  })
  const describe = api({
    operationId: 'negotiateWorkCenterHub',
    tag: 'Work Center',
    summary: 'Begin a SignalR connection that hears of changes',
    description: 'Speaks the SignalR JSON hub protocol over WebSockets. Use a SignalR client.',
    responses: { 200: { description: 'How to connect.', schema: Negotiation } },
    errors: ['work_center.origin_refused'],
  })
  return new Hono<KitEnv>().use(negotiatePath, crossOrigin).post(negotiatePath, describe, async (c) => {
    await admit(c.req.raw)
    const answer: Negotiation = {
      negotiateVersion: 1,
      connectionId: randomUUID(),
      connectionToken: randomUUID(),
      availableTransports: [{ transport: 'WebSockets', transferFormats: ['Text'] }],
    }
    return c.json(answer)
  })
}
