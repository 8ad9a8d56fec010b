import type { S3Client } from '@aws-sdk/client-s3'
import { errorType, withSpan } from '@vertical-kit/core-audit/telemetry'
import { httpStatusOf } from './store-failure.ts'

/**
 * Adds a client span to each call of an S3 client. One span includes all attempts of a call. It contains the operation and
 * the host of the store, never a key or a URL.
 */
export function observeCalls(client: S3Client, endpoint: string): S3Client {
  const server = new URL(endpoint).hostname
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const operation = String(commandName).replace(/Command$/, '')
        return withSpan(
          () => ({
            name: `S3/${operation}`,
            kind: 'client',
            attributes: {
              'rpc.system': 'aws-api',
              'rpc.service': 'S3',
              'rpc.method': operation,
              'server.address': server,
            },
          }),
          () => next(args),
          (error) => String(httpStatusOf(error) ?? errorType(error)),
        )
      },
    { step: 'initialize', name: 'verticalKitSpan' },
  )
  return client
}
