/** The smallest UUID. */
export const firstId = '00000000-0000-0000-0000-000000000000'

/** The largest UUID. */
export const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns the smallest UUIDv7 with a time in milliseconds since 1970: all ids of earlier times are smaller. */
export const idAt = (timeMs: number): string => toId(BigInt(Math.max(0, Math.floor(timeMs))) << 80n)

/** Returns the time of a UUIDv7 in milliseconds since 1970 (RFC 9562 §5.7). */
export const timeOfId = (id: string): number => Number(toNumber(id) >> 80n)

/** Returns the UUID that follows `id` in the order of PostgreSQL. The last UUID has no successor and is returned itself. */
export function idAfter(id: string): string {
  const next = toNumber(id) + 1n
  return next >> 128n === 0n ? toId(next) : id
}

/**
 * Returns the roundest id that is larger than `older` and not larger than `newer`: that with the most zero bits at its end. It
 * hides the exact times of both: if they are an hour apart, its time is a multiple of 35 minutes (2²¹ ms).
 */
export function roundIdBetween(older: string, newer: string): string {
  const [from, to] = [toNumber(older), toNumber(newer)]
  // The two ids begin with the same bits. At the first different bit, `newer` has a one.
  const zeroCount = BigInt((from ^ to).toString(2).length - 1)
  return toId((to >> zeroCount) << zeroCount)
}

const toNumber = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '')}`)

const toId = (value: bigint): string =>
  value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
