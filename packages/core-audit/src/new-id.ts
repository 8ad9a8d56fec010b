import { uuidv7 } from 'uuidv7'

/**
 * Returns a new id with the time of the host: a lower-case UUIDv7 (RFC 9562 §5.7). Ids from one process sort in creation
 * order, even within a millisecond. If a list sorts rows by their id, use `newId` of the `Tx` or the `Database`: ids from
 * hosts whose clocks differ would sort wrongly.
 */
export const newId = (): string => uuidv7()
