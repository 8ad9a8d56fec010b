import { isStatementError } from './database-errors.ts'

/**
 * Adds the stack frames of the code that waits for a rejected statement. The driver creates the error while it reads from the
 * socket, so its own frames do not show which statement failed, and the logger omits the message.
 *
 * Call it in the `catch` of the `await`: only there, V8 knows the waiting functions. A statement that succeeds costs nothing.
 */
export function addCallers(error: unknown): void {
  if (!(error instanceof Error && isStatementError(error))) return
  const here = new Error()
  Error.captureStackTrace(here, addCallers)
  const frames = here.stack?.split('\n').slice(1) ?? []
  // The driver defines `stack` as read-only.
  Object.defineProperty(error, 'stack', { value: [error.stack, ...frames].join('\n') })
}
