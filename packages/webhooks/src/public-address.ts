import { BlockList, isIP } from 'node:net'

/**
 * The special-purpose blocks of IPv4: own network, private, shared (CGNAT), loopback, link-local (with the metadata service of
 * clouds), documentation, benchmarks, relays, multicast and reserved. The last one is the service of Azure that configures its machines.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const refusedV4 = blockListOf('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...[
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.31.196.0/24',
    '192.52.193.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
  ],
  ...['192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  '168.63.129.16/32',
])

/** Public addresses of IPv6 are in this block. Everything outside is special: loopback, local, mapped, NAT64, multicast. */
const globalV6 = blockListOf('ipv6', ['2000::/3'])

/**
 * The special-purpose blocks inside of it: protocol assignments (with Teredo), documentation, and 6to4, which contains an
 * IPv4 address.
 *
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const refusedV6 = blockListOf('ipv6', [
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])

function blockListOf(type: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), type)
  }
  return list
}

/** Returns whether an IP address is public. Other text is not. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedV4.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && globalV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6')
    default:
      return false
  }
}
