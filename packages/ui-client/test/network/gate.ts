/** A request, as `METHOD /path`. */
type Line = string

/** The way to the real service, where answers can be kept back and connections cut. */
export interface Gate {
  readonly fetch: typeof fetch
  /** What was sent, in order. */
  readonly sent: readonly Line[]
  /** Keeps the answers to the next requests like this back. */
  hold(pattern: RegExp): Hold
}

/** Answers that the service has given and nobody has seen yet. */
export interface Hold {
  /** Resolves with the first answer that is kept back; what is read of it, the client reads too. */
  readonly reached: Promise<Response>
  /** Lets the answers through, these and later ones. */
  release(): void
  /** Has the answers get lost: the service has done what was asked, and the client hears nothing. */
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
