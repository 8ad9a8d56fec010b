import type { LookupAddress } from 'node:dns'
import type { Resolver } from 'node:dns/promises'

/** How long a name server may take. After it, the addresses that have arrived are used. */
const limitMs = 5_000

/**
 * Asks the name servers for all addresses of a host, IPv4 first. Empty if the name is only an alias of one without addresses.
 *
 * `dns.lookup` would occupy one of libuv's few threads until it ends, and cannot be aborted: four endpoints with slow name
 * servers would stop all lookups and file operations of the process. This resolver has sockets of its own instead. It reads
 * neither `/etc/hosts` nor search domains, which a public name does not need.
 *
 * @throws the error of Node, with codes such as `ENOTFOUND`; a `TimeoutError` at the limit; the reason of the signal
 */
export async function resolveHost(
  hostname: string,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  limit.throwIfAborted()
  limit.addEventListener('abort', () => resolver.cancel(), { once: true })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  // One of the two often fails, because a host without IPv6 has no address there.
  if (v4.status === 'rejected' && v6.status === 'rejected') {
    limit.throwIfAborted()
    throw v4.reason
  }
  const found = (result: PromiseSettledResult<string[]>, family: 4 | 6) =>
    result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
  return [...found(v4, 4), ...found(v6, 6)]
}
