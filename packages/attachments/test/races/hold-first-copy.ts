import type { ObjectStore, OperationCall } from '@vertical-kit/dev-services'

/** Holds the first copy a store is asked for, and no other, until it is let go. */
export function holdFirstCopy(store: ObjectStore) {
  const held = Promise.withResolvers<void>()
  const calls: OperationCall[] = []
  const fault = store.faults.before('CopyObject', async (call) => {
    calls.push(call)
    if (calls.length === 1) await held.promise
  })
  return { reached: fault.reached, letGo: held.resolve, calls }
}
