import type { Host } from '../host/deployment.ts'
import { createGate } from '../network/gate.ts'
import { type SignedIn, signIn } from '../signed-in.ts'

/** A signed-in user with a network that records executions and can lose responses. */
export interface Desk extends SignedIn {
  /** The sent executions, with their idempotency keys and bodies. */
  readonly executions: { readonly key: string; readonly body: string }[]
  /** While this pattern is set, the service processes requests to matching paths, but their responses are lost. */
  loses: RegExp | null
  /** While this pattern is set, the service processes requests to matching paths, but the client receives a refusal. */
  refuses: RegExp | null
}

/** Signs a user in, and opens a session that ends with the test. */
export async function openDesk(host: Host, user: string): Promise<Desk> {
  const gate = createGate()
  const executions: Desk['executions'] = []
  const signedIn = await signIn(host, user, {
    async fetch(input, init) {
      const key = new Headers(init?.headers).get('Idempotency-Key')
      if (key !== null) executions.push({ key, body: String(init?.body) })
      const response = await gate.fetch(input, init)
      if (desk.loses?.test(new URL(String(input)).pathname)) throw new TypeError('The connection was cut.')
      if (desk.refuses?.test(new URL(String(input)).pathname)) {
        return Response.json(
          { type: 'about:blank', title: 'Forbidden', status: 403, code: 'permission.denied', requestId: '1' },
          { status: 403, headers: { 'Content-Type': 'application/problem+json' } },
        )
      }
      return response
    },
  })
  const desk: Desk = { ...signedIn, gate, executions, loses: null, refuses: null }
  return desk
}
