import { setTimeout as wait } from 'node:timers/promises'
import {
  type CallFault,
  createCallFaults,
  type Fault,
  type FaultHook,
  type FaultScope,
  type OperationCall,
} from './call-faults.ts'
import { S3Error } from './errors.ts'
import type { Operation } from './routing.ts'

/** What a test may break, while the store runs. Each fault stays until it is cleared. */
export interface ObjectStoreFaults {
  /** Answers late. */
  delay(options: FaultScope & { readonly delayMs: number }): CallFault
  /** Accepts the request and answers only once cleared; closing the store drops it. */
  hang(options?: FaultScope): CallFault
  /** Answers 500 `InternalError` or 503 `ServiceUnavailable`; after `times` calls, normally again. */
  fail(options: FaultScope & { readonly status: 500 | 503; readonly times?: number }): CallFault
  /** Awaits the hook between receiving a call and acting on it. The hook may use the store itself. */
  before(operation: Operation, hook: (call: OperationCall) => Promise<unknown>): CallFault
  /** Drops every connection, open or new, without an answer. */
  unreachable(): Fault
  /**
   * Copies as Ceph's gateway does (observed on 16.2): every condition, on the source and on the destination, is
   * ignored, and the ETag in the result has no quotes.
   */
  ignoreCopyConditions(): Fault
  /** Clears every fault. */
  clear(): void
}

/** The faults as the store itself sees them. */
export interface FaultSwitchboard {
  readonly controls: ObjectStoreFaults
  readonly isUnreachable: boolean
  readonly ignoresCopyConditions: boolean
  /** Resolves when the call may be acted on; rejects with the fault's answer, or when the store closes. */
  meet(call: OperationCall): Promise<void>
}

export interface FaultOptions {
  /** Aborted when the store closes. */
  readonly closing: AbortSignal
  readonly dropConnections: () => void
}

export function createFaults({ closing, dropConnections }: FaultOptions): FaultSwitchboard {
  const calls = createCallFaults(closing)
  const unreachable = createSwitch()
  const ignoring = createSwitch()

  return {
    get isUnreachable() {
      return unreachable.isOn()
    },
    get ignoresCopyConditions() {
      return ignoring.isOn()
    },
    meet: calls.meet,
    controls: {
      delay: ({ delayMs, ...scope }) => calls.add(scope, () => wait(delayMs, undefined, { ref: false })),
      hang: (scope = {}) => calls.add(scope, () => new Promise(() => {})),
      fail: ({ status, times, ...scope }) => calls.add(scope, failing(status, times)),
      before: (operation, hook) => calls.add({ operations: [operation] }, hook),
      ignoreCopyConditions: ignoring.turnOn,
      unreachable() {
        const fault = unreachable.turnOn()
        dropConnections()
        return fault
      },
      clear() {
        for (const faults of [calls, unreachable, ignoring]) faults.clear()
      },
    },
  }
}

/** On as long as any of those who turned it on has not cleared it. */
function createSwitch() {
  const holders = new Set<Fault>()
  return {
    isOn: () => holders.size > 0,
    turnOn(): Fault {
      const fault = { clear: () => void holders.delete(fault) }
      holders.add(fault)
      return fault
    },
    clear: () => holders.clear(),
  }
}

function failing(status: 500 | 503, times = Number.POSITIVE_INFINITY): FaultHook {
  let left = times
  return async () => {
    if (left === 0) return
    left -= 1
    throw status === 500
      ? new S3Error('InternalError', 'We encountered an internal error. Please try again.')
      : new S3Error('ServiceUnavailable', 'Service is unable to handle request.')
  }
}
