import type { ListenOptions } from './server.ts'

/** Thrown when a host cannot start. The message states the reason and the change in one line, without a secret. */
export class CannotStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CannotStartError'
  }
}

/** The keys of the settings that contain a port and its host. */
interface AddressKeys {
  readonly portKey: string
  readonly hostKey: string
}

/** The messages about an address that cannot be used, by the code of the error. */
const messages: Readonly<Record<string, (address: ListenOptions & AddressKeys) => string>> = {
  EADDRINUSE: ({ portKey, host, port }) =>
    `${portKey}: port ${port} of ${host} is in use (EADDRINUSE). Stop the other process, or change ${portKey}.`,
  EACCES: ({ portKey, port }) =>
    `${portKey}: this process may not use port ${port} (EACCES). Change ${portKey}.`,
  EADDRNOTAVAIL: ({ hostKey, host }) =>
    `${hostKey}: ${host} is no address of this machine (EADDRNOTAVAIL). Change ${hostKey}.`,
  EAFNOSUPPORT: ({ hostKey, host }) =>
    `${hostKey}: this machine has no addresses like ${host} (EAFNOSUPPORT). Change ${hostKey}.`,
  ENOTFOUND: ({ hostKey, host }) => `${hostKey}: the name ${host} is unknown (ENOTFOUND). Change ${hostKey}.`,
  // A name of more than 255 characters, or a link-local address without the name of its interface.
  EINVAL: ({ hostKey }) =>
    `${hostKey}: the value is neither a host name nor a complete IP address (EINVAL). Change ${hostKey}.`,
  EAI_AGAIN: ({ hostKey, host }) =>
    `${hostKey}: no name server answers for ${host} (EAI_AGAIN). Use an IP address, or repair the name service.`,
}

/**
 * Calls `listen`. `portKey` is the setting that contains the port, such as `METRICS_PORT`; `METRICS_HOST` then contains the host.
 * @throws {CannotStartError} if the address cannot be used
 */
export async function onPort<T>(
  portKey: string,
  address: ListenOptions,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const message = error instanceof Error ? messages[String(Reflect.get(error, 'code'))] : undefined
    if (message === undefined) throw error
    const hostKey = portKey.replace(/PORT$/, 'HOST')
    throw new CannotStartError(message({ ...address, portKey, hostKey }), { cause: error })
  }
}
