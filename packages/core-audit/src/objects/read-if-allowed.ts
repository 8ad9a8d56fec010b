/**
 * Resolves with a read whose check runs at the same time, on the same connection: their statements share one round trip.
 * Rejects with the error of the check, even if the read fails too, so a refused caller never learns anything from the read.
 * Use it only for reads, because a refused read has run.
 */
export async function readIfAllowed<T>(check: Promise<unknown>, read: Promise<T>): Promise<T> {
  // Wait for both: the connection then has no pending statement when its next work begins.
  const [checked, result] = await Promise.allSettled([check, read])
  if (checked.status === 'rejected') throw checked.reason
  if (result.status === 'rejected') throw result.reason
  return result.value
}
