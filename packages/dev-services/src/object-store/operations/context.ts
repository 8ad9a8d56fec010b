import type { FindBucket } from '../disk.ts'

/** What an operation may use of the store. */
export interface OperationContext {
  readonly findBucket: FindBucket
  readonly region: string
  /** True while a test makes the store ignore the conditions of copies. */
  readonly ignoresCopyConditions: () => boolean
}
