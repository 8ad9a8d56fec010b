import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { type Feature, Features } from './contract.ts'

/** `GET /api/features`: discovery, for any authenticated caller. */
export function featureRoutes(features: readonly Feature[]): Hono<KitEnv> {
  return new Hono<KitEnv>().get(
    '/api/features',
    api({
      operationId: 'listFeatures',
      tag: 'Features',
      summary: 'Every feature of this deployment and whether it is on.',
      description: 'Enabled means that the deployment has the feature, not that the caller may use it.',
      responses: { 200: { description: 'The features', schema: Features } },
    }),
    (c) => {
      c.header('Cache-Control', 'no-store')
      return c.json(features)
    },
  )
}
