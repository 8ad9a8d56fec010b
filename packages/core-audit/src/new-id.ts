import { uuidv7 } from 'uuidv7'

/**
 * Returns a new id: a lower-case UUIDv7 (RFC 9562 §5.7). Ids from one process sort in creation order, even within a
 * millisecond.
 */
export const newId = (): string => uuidv7()
