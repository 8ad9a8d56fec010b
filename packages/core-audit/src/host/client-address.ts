import { BlockList, isIP } from 'node:net'

/** A network, or one address. */
export interface Network {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  readonly prefixBits: number
}

/** Parses an address (`10.0.0.1`, `::1`) or a network (`10.0.0.0/8`). Returns undefined for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', bits] = /^([\d.]+|[\da-f:.]*:[\da-f:.]*)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const version = isIP(address)
  if (version === 0) return undefined
  const maxBits = version === 4 ? 32 : 128
  const prefixBits = bits === undefined ? maxBits : Number(bits)
  return prefixBits > maxBits ? undefined : { address, family: `ipv${version as 4 | 6}`, prefixBits }
}

/** Returns the address of a request's client, from the address of its socket and its header `X-Forwarded-For`. */
export type ClientAddress = (socketAddress: string | undefined, forwardedFor: string | undefined) => string

/**
 * Creates a function that returns the address of a client, and for IPv6 the /64 network, because one user usually has a whole
 * one. Each proxy appends the address of its own client to `X-Forwarded-For`. Starting at the socket, the function therefore
 * follows the header from the right while the address is that of a trusted proxy. It ignores everything to the left, which the
 * client can choose freely.
 */
export function createClientAddress(trustedProxies: readonly Network[]): ClientAddress {
  const trusted = new BlockList()
  for (const { address, prefixBits, family } of trustedProxies) trusted.addSubnet(address, prefixBits, family)
  const isTrusted = (address: string): boolean =>
    trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  return (socketAddress, forwardedFor) => {
    let address = plainAddress(socketAddress ?? '') ?? ''
    if (trustedProxies.length > 0 && forwardedFor !== undefined) {
      for (const entry of forwardedFor.split(',').toReversed()) {
        const client = isTrusted(address) ? plainAddress(entry) : undefined
        if (client === undefined) break
        address = client
      }
    }
    return isIP(address) === 6 ? networkOf(address) : address
  }
}

/** Returns an address without brackets, port, zone and the prefix of an IPv4 address in IPv6; undefined for other text. */
function plainAddress(text: string): string | undefined {
  const trimmed = text.trim().toLowerCase()
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = bare.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/, '')
  return isIP(address) === 0 ? undefined : address
}

/** Returns the /64 network of an IPv6 address. */
function networkOf(address: string): string {
  // The URL parser writes the address in its shortest form, with groups in lower-case hexadecimal digits.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groupsOf = (part: string): readonly string[] => (part === '' ? [] : part.split(':'))
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`
}
