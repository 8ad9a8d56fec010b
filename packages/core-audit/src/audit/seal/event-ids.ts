/** The smallest UUID. */
export const firstId = '00000000-0000-0000-0000-000000000000'

/** Returns the smallest UUIDv7 with a time in milliseconds since 1970: all ids of earlier times are smaller. */
export const idAt = (timeMs: number): string => toId(BigInt(Math.max(0, Math.floor(timeMs))) << 80n)

/** Returns the time of a UUIDv7 in milliseconds since 1970 (RFC 9562 §5.7). */
export const timeOfId = (id: string): number => Number(toNumber(id) >> 80n)

/** Returns the UUID that follows `id` in the order of PostgreSQL. The last UUID has no successor and is returned itself. */
export function idAfter(id: string): string {
  const next = toNumber(id) + 1n
  return next >> 128n === 0n ? toId(next) : id
}

const toNumber = (id: string): bigint => BigInt(`0x${id.replaceAll('-', '')}`)

const toId = (value: bigint): string =>
  value
    .toString(16)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
