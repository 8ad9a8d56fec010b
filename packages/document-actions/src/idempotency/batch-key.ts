/** Maximum length of the key of a batch. The keys of its documents add 37 characters, and a key can have 200. */
export const maxBatchKeyChars = 160

/**
 * Returns the key of one document in a batch: the key of the batch, a slash and the id. The id has a fixed length, so two
 * batches with different keys never have a key in common.
 */
export const batchItemKey = (batchKey: string, documentId: string): string => `${batchKey}/${documentId}`
