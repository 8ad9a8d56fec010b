import type { Logger } from 'pino'
import { databaseErrorCode, isDriverError } from './database-errors.ts'

/** The listeners of this module: several hosts may share a process. */
const ours = new WeakSet<object>()

/**
 * Keeps the process alive when a rejection of the database driver has no handler: it is logged once, at level `error`, with
 * its code and without its message, which may hold values of a statement. Every other rejection without a handler ends the
 * process as Node.js would, unless the application has a listener of its own. Call it once, before the host serves. Of
 * several calls in one process, the first that was not taken back logs.
 *
 * Returns a function that takes this back.
 */
export function surviveDriverRejections(logger: Pick<Logger, 'error'>): () => void {
  const onRejection = (reason: unknown): void => {
    const listeners = process.listeners('unhandledRejection')
    if (listeners.find((listener) => ours.has(listener)) !== onRejection) return
    if (isDriverError(reason)) {
      logger.error({ code: databaseErrorCode(reason) }, 'A rejection of the database driver had no handler.')
      return
    }
    // With other listeners, Node.js would leave the decision to them.
    if (listeners.every((listener) => ours.has(listener))) throw reason
  }
  ours.add(onRejection)
  process.on('unhandledRejection', onRejection)
  return () => void process.off('unhandledRejection', onRejection)
}
