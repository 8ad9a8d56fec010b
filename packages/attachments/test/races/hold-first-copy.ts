import type { ObjectStore, OperationCall } from '@vertical-kit/dev-services'

/** Blocks the first copy request of a store until the test calls `letGo`. Does not block later copy requests. */
export function holdFirstCopy(store: ObjectStore) {
  const held = Promise.withResolvers<void>()
  const calls: OperationCall[] = []
  const fault = store.faults.before('CopyObject', async (call) => {
    calls.push(call)
    if (calls.length === 1) await held.promise
  })
  return { reached: fault.reached, letGo: held.resolve, calls }
}
