import { v7 } from 'uuid'

/** A new id: a lower-case UUIDv7 (RFC 9562 §5.7), so that ids made later sort later. */
export const newId = (): string => v7()
