import type { Logger } from 'pino'
import { databaseErrorCode, isDriverError } from './database-errors.ts'

/** The listeners of this module; several hosts can share a process. */
const ours = new WeakSet<object>()

/**
 * Keeps the process alive when a rejection of the database driver has no handler. Logs the rejection once, at level
 * `error`, with its code but without its message, which can contain values of a statement. Other unhandled rejections end
 * the process as in Node.js, unless the application has its own listener. Call this once, before the host serves requests.
 * After several calls in one process, only the first active listener logs.
 *
 * Returns a function that removes the listener.
 */
export function surviveDriverRejections(logger: Pick<Logger, 'error'>): () => void {
  const onRejection = (reason: unknown): void => {
    const listeners = process.listeners('unhandledRejection')
    if (listeners.find((listener) => ours.has(listener)) !== onRejection) return
    if (isDriverError(reason)) {
      logger.error({ code: databaseErrorCode(reason) }, 'A rejection of the database driver had no handler.')
      return
    }
    // If other listeners exist, Node.js leaves the decision to them.
    if (listeners.every((listener) => ours.has(listener))) throw reason
  }
  ours.add(onRejection)
  process.on('unhandledRejection', onRejection)
  return () => void process.off('unhandledRejection', onRejection)
}
