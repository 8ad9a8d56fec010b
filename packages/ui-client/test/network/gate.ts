/** A request in the form `METHOD /path`. */
type Line = string

/** A `fetch` to the real service that can delay responses and cut connections. */
export interface Gate {
  readonly fetch: typeof fetch
  /** The sent requests, in order. */
  readonly sent: readonly Line[]
  /** Cuts all connections until the returned function is called. The service does not receive the requests. */
  cut(): () => void
  /** Delays the responses to matching requests. */
  hold(pattern: RegExp): Hold
}

/** Delayed responses that the client has not received yet. */
export interface Hold {
  /** Resolves with a copy of the first delayed response. */
  readonly reached: Promise<Response>
  /** Releases the delayed responses, and delays no further responses. */
  release(): void
  /** Discards the delayed responses. The service has processed the requests, but the client receives a network error. */
  lose(): void
}

export function createGate(): Gate {
  const sent: Line[] = []
  let isCut = false
  const holds = new Map<RegExp, (response: Response) => Promise<void>>()
  return {
    sent,
    async fetch(input, init) {
      const line = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`
      if (isCut) throw new TypeError('The connection was cut.')
      sent.push(line)
      const response = await fetch(input, init)
      for (const [pattern, meet] of [...holds]) if (pattern.test(line)) await meet(response)
      return response
    },
    cut() {
      isCut = true
      return () => {
        isCut = false
      }
    },
    hold(pattern) {
      const reached = Promise.withResolvers<Response>()
      const passed = Promise.withResolvers<void>()
      passed.promise.catch(() => {})
      holds.set(pattern, (response) => {
        reached.resolve(response.clone())
        return passed.promise
      })
      return {
        reached: reached.promise,
        release() {
          holds.delete(pattern)
          passed.resolve()
        },
        lose() {
          holds.delete(pattern)
          passed.reject(new TypeError('The connection was cut.'))
        },
      }
    },
  }
}
