import type { ListenOptions } from './server.ts'

/** Thrown when a host cannot start. The message states the reason and the change in one line, without a secret. */
export class CannotStartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CannotStartError'
  }
}

/**
 * Calls `listen`. `key` is the setting that contains the port.
 * @throws {CannotStartError} if another process uses the port
 */
export async function onPort<T>(key: string, address: ListenOptions, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'EADDRINUSE') throw error
    throw new CannotStartError(
      `${key}: port ${address.port} of ${address.host} is in use (EADDRINUSE). Stop the other process, or change ${key}.`,
      { cause: error },
    )
  }
}
