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

/** Faults that tests can inject while the store runs. Each fault stays active until it is cleared. */
export interface ObjectStoreFaults {
  /** Delays every affected call. */
  delay(options: FaultScope & { readonly delayMs: number }): CallFault
  /** Blocks calls until the fault is cleared. Closing the store drops the blocked calls. */
  hang(options?: FaultScope): CallFault
  /** Returns 500 `InternalError` or 503 `ServiceUnavailable`. With `times`, affects only that many calls. */
  fail(options: FaultScope & { readonly status: 500 | 503; readonly times?: number }): CallFault
  /** Awaits the hook after a call is received and before its operation runs. The hook can use the store. */
  before(operation: Operation, hook: (call: OperationCall) => Promise<unknown>): CallFault
  /** Drops all open and new connections without a response. */
  unreachable(): Fault
  /**
   * Makes copies behave like Ceph's gateway (observed on 16.2): copies ignore all conditions on source and destination,
   * and the returned ETag has no quotes.
   */
  ignoreCopyConditions(): Fault
  /** Clears every fault. */
  clear(): void
}

/** The store's interface to the faults. */
export interface FaultSwitchboard {
  readonly controls: ObjectStoreFaults
  readonly isUnreachable: boolean
  readonly ignoresCopyConditions: boolean
  /** Resolves when the operation can run. Rejects with the fault's error or when the store closes. */
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

/** A switch that stays on until every fault that turned it on is cleared. */
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
