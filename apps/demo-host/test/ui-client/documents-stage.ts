import { createClient } from '@vertical-kit/ui-client'
import { openSession, type Session } from '@vertical-kit/ui-client/stores'
import { onTestFinished } from 'vitest'
import { accessToken, type OpenDemo } from '../demo-process.ts'
import { createGate, type Gate } from './gate.ts'

/** A user's session whose way to the service is in the test's hands. */
export interface Desk {
  readonly session: Session
  readonly gate: Gate
  /** The executions that were sent: which key, and with what. */
  readonly executions: { readonly key: string; readonly body: string }[]
  /** While it is set, the service does what requests to such paths ask, and their answers are lost. */
  loses: RegExp | null
}

/** Signs in, and opens a session that ends with the test. */
export async function openDesk(demo: OpenDemo, user: string): Promise<Desk> {
  const gate = createGate()
  const token = await accessToken(demo.issuer, user)
  const executions: Desk['executions'] = []
  const client = createClient({
    baseUrl: demo.url,
    accessToken: () => token,
    // What the service asks for between two attempts is not what these tests are about.
    wait: async () => {},
    async fetch(input, init) {
      const key = new Headers(init?.headers).get('Idempotency-Key')
      if (key !== null) executions.push({ key, body: String(init?.body) })
      const response = await gate.fetch(input, init)
      if (desk.loses?.test(new URL(String(input)).pathname)) throw new TypeError('The connection was cut.')
      return response
    },
  })
  const session = openSession({ client, userId: user })
  onTestFinished(() => session.close())
  const desk: Desk = { session, gate, executions, loses: null }
  return desk
}
