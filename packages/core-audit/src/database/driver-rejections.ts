import type { Logger } from 'pino'
import { databaseErrorCode, isDriverError } from './database-errors.ts'

/** The listeners that this module has added: one for each host in the process. */
const ours = new WeakSet<object>()

/**
 * Keeps the process alive when a rejection of the database driver has no handler. Logs the code of the rejection once, at
 * level `error`, but not its message, which can contain values of a statement. Other unhandled rejections end the process,
 * which is the default of Node.js, unless the application has its own listener. Call this function once, before the host
 * serves requests. If several hosts in one process call this function, only the first active listener logs.
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
    // Without a listener of the application, end the process, which is the default of Node.js.
    if (listeners.every((listener) => ours.has(listener))) throw reason
  }
  ours.add(onRejection)
  process.on('unhandledRejection', onRejection)
  return () => void process.off('unhandledRejection', onRejection)
}
