/**
 * Copies a value that is sent as JSON, because the caller can change the object later. The object can be a proxy of a framework, such
 * as Vue's `reactive`, which `structuredClone` refuses.
 */
export const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
