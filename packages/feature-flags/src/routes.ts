import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { type Feature, Features } from './contract.ts'

/** Creates the route `GET /api/features`, which returns all features to every authenticated caller. */
export function featureRoutes(features: readonly Feature[]): Hono<KitEnv> {
  return new Hono<KitEnv>().get(
    '/api/features',
    api({
      operationId: 'listFeatures',
      tag: 'Features',
      summary: 'Lists the features of this deployment and their states.',
      description: '`enabled` describes the deployment; permissions decide if a caller may use it.',
      responses: { 200: { description: 'The features', schema: Features } },
    }),
    (c) => {
      c.header('Cache-Control', 'no-store')
      return c.json(features)
    },
  )
}
