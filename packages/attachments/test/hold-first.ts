import type { ObjectStore, OperationCall } from '@vertical-kit/dev-services'

/**
 * Blocks the first call of an operation, of this key if one is given, until the test calls `letGo`. Does not block later
 * calls.
 */
export function holdFirst(store: ObjectStore, operation: OperationCall['operation'], key?: string) {
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const calls: OperationCall[] = []
  store.faults.before(operation, async (call) => {
    if (key !== undefined && call.key !== key) return
    calls.push(call)
    reached.resolve()
    if (calls.length === 1) await held.promise
  })
  return { reached: reached.promise, letGo: held.resolve, calls }
}
