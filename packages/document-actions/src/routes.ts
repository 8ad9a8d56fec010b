import { CoreError } from '@vertical-kit/core-audit'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import { batchRoutes } from './routes/batch-routes.ts'
import { type DocumentActionsRoutesOptions, documentAccess } from './routes/document-access.ts'
import { executionRoutes } from './routes/execution-routes.ts'
import { readRoutes } from './routes/read-routes.ts'

/** Creates the routes under `/api/documents/{documentType}/`. They list and execute actions. */
export function documentActionsRoutes(options: DocumentActionsRoutesOptions): Hono<KitEnv> {
  const access = documentAccess(options.types)
  const router = new Hono<KitEnv>()
    .route('/', readRoutes(options, access))
    .route('/', executionRoutes(options, access))
    .route('/', batchRoutes(options, access))
  // This route was removed. An application often has `/api/documents/:type/:id` with other methods, so the answer would be 405.
  router.post('/api/documents/:documentType/derive', () => {
    throw new CoreError('request.route_not_found')
  })
  return router
}
