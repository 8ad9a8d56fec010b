import type { FindBucket } from '../disk.ts'

/** The parts of the store that operations use. */
export interface OperationContext {
  readonly findBucket: FindBucket
  readonly region: string
  /** Returns true while a fault makes the store ignore the conditions of copies. */
  readonly ignoresCopyConditions: () => boolean
}
