/** A request, as `METHOD /path`. */
type Line = string

/** A `fetch` to the real service that can delay answers and cut connections. */
export interface Gate {
  readonly fetch: typeof fetch
  /** The sent requests, in order. */
  readonly sent: readonly Line[]
  /** Delays the answers to matching requests. */
  hold(pattern: RegExp): Hold
}

/** Delayed answers that the client has not received yet. */
export interface Hold {
  /** Resolves with a copy of the first delayed answer. */
  readonly reached: Promise<Response>
  /** Releases the delayed answers and stops delaying. */
  release(): void
  /** Loses the delayed answers: the service has processed the requests, but the client gets a network error. */
  lose(): void
}

export function createGate(): Gate {
  const sent: Line[] = []
  const holds = new Map<RegExp, (response: Response) => Promise<void>>()
  return {
    sent,
    async fetch(input, init) {
      const line = `${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`
      sent.push(line)
      const response = await fetch(input, init)
      for (const [pattern, meet] of [...holds]) if (pattern.test(line)) await meet(response)
      return response
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
