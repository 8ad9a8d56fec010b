import { S3Error } from './errors.ts'
import type { Operation } from './routing.ts'

/** An authenticated request that is about to be acted on. */
export interface OperationCall {
  readonly operation: Operation
  readonly bucket: string
  /** Empty for operations on a bucket. */
  readonly key: string
}

/** A fault in force. */
export interface Fault {
  /** Ends the fault. Calls it holds go on and are answered. */
  clear(): void
}

/** A fault that meets single calls, so that a test can wait for one instead of guessing a time. */
export interface CallFault extends Fault {
  /** Resolves with the first call the fault meets; the store has done nothing for that call yet. */
  readonly reached: Promise<OperationCall>
}

/** Without `operations`, a fault meets them all. */
export interface FaultScope {
  readonly operations?: readonly Operation[]
}

/** What a fault does with a call: take time, or throw the answer. */
export type FaultHook = (call: OperationCall) => Promise<unknown>

/** The faults in force, met in the order in which they were added. */
export interface CallFaults {
  add(scope: FaultScope, hook: FaultHook): CallFault
  /** Resolves when the call may be acted on; rejects with the fault's answer, or when the store closes. */
  meet(call: OperationCall): Promise<void>
  clear(): void
}

export function createCallFaults(closing: AbortSignal): CallFaults {
  const active = new Set<Fault & { meet: FaultHook }>()
  const closed = new Promise<void>((resolve) => {
    closing.addEventListener('abort', () => resolve(), { once: true })
  })

  return {
    add({ operations }, hook) {
      const reached = Promise.withResolvers<OperationCall>()
      const cleared = Promise.withResolvers<void>()
      const fault = {
        async meet(call: OperationCall) {
          if (operations && !operations.includes(call.operation)) return
          reached.resolve(call)
          await Promise.race([hook(call), cleared.promise, closed])
        },
        clear() {
          active.delete(fault)
          cleared.resolve()
        },
      }
      active.add(fault)
      return { reached: reached.promise, clear: fault.clear }
    },
    async meet(call) {
      for (const fault of [...active]) await fault.meet(call)
      if (closing.aborted) throw new S3Error('ServiceUnavailable', 'The store is closing.')
    },
    clear() {
      for (const fault of [...active]) fault.clear()
    },
  }
}
