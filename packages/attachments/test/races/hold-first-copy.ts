import type { ObjectStore, OperationCall } from '@vertical-kit/dev-services'

/** Blocks only the first copy request of a store until `letGo` is called. */
export function holdFirstCopy(store: ObjectStore) {
  const held = Promise.withResolvers<void>()
  const calls: OperationCall[] = []
  const fault = store.faults.before('CopyObject', async (call) => {
    calls.push(call)
    if (calls.length === 1) await held.promise
  })
  return { reached: fault.reached, letGo: held.resolve, calls }
}
