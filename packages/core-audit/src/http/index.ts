export { CoreError, isKitError } from '../errors.ts'
export {
  type ApiDeprecation,
  type ApiDescription,
  type ApiResponse,
  api,
  type Guard,
  parseRequest,
} from './api.ts'
export { type ApplicationUser, authenticateWith } from './authenticate-with.ts'
export type { KitEnv } from './kit-env.ts'
export { readCursor, takePage, writeCursor } from './paging.ts'
export { type FaultLogger, problemDetails, problemOf, problems, toRefusal } from './problems.ts'
export { requestId, requestIdOf } from './request-id.ts'
