import type { CallOptions, KitRequest, Send } from './send.ts'

/** Sends a `GET` request. The options are its query parameters and its signal. */
export type Get = <T>(path: string, options: object) => Promise<T>

export function getWith(send: Send): Get {
  return (path, options) => {
    const { signal, ...query } = options as CallOptions & KitRequest['query']
    return send({ method: 'GET', path, query, signal })
  }
}
