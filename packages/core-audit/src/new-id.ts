import { uuidv7 } from 'uuidv7'

/**
 * A new id: a lower-case UUIDv7 (RFC 9562 §5.7). Ids that one process makes sort in the order they were made, also
 * within a millisecond.
 */
export const newId = (): string => uuidv7()
