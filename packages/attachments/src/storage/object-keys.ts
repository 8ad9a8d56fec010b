import type { SealedKey } from './object-storage.ts'

/** Returns the key of an upload. Keys contain only the id, never data of the file such as its name. */
export const stagingKey = (id: string): string => `uploads/${id}`

/**
 * Returns the final key of the sealed bytes. The service never signs a URL that can write an object to a final key. Each
 * attempt to copy an upload has its own final key, which only the one copy of this attempt can write to. Nearly all uploads
 * are completed by their first attempt.
 */
export const sealedKey = ({ id, sealAttempt }: SealedKey): string =>
  sealAttempt <= 1 ? `attachments/${id}` : `attachments/${id}.${sealAttempt}`

/** Returns the final key of bytes that are not copied: of a file that server code stores, and of joined parts. */
export const directKey = (id: string): string => sealedKey({ id, sealAttempt: 0 })
