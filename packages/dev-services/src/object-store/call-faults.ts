import { S3Error } from './errors.ts'
import type { Operation } from './routing.ts'

/** An authenticated request before its operation runs. */
export interface OperationCall {
  readonly operation: Operation
  readonly bucket: string
  /** The object key; empty for operations on a bucket. */
  readonly key: string
}

/** An active fault. */
export interface Fault {
  /** Ends the fault. Blocked calls continue normally. */
  clear(): void
}

/** A fault that affects single calls. Tests can wait for the first affected call. */
export interface CallFault extends Fault {
  /** Resolves with the first affected call, before its operation runs. */
  readonly reached: Promise<OperationCall>
}

/** The operations that a fault affects. Without `operations`, the fault affects all operations. */
export interface FaultScope {
  readonly operations?: readonly Operation[]
}

/** The effect of a fault on a call: it delays the call or throws the error response. */
export type FaultHook = (call: OperationCall) => Promise<unknown>

/** The active faults. They apply in the order of their creation. */
export interface CallFaults {
  add(scope: FaultScope, hook: FaultHook): CallFault
  /** Resolves when the operation can run. Rejects with the fault's error or when the store closes. */
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
