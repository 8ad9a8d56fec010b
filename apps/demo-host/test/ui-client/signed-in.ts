import { type Client, type ClientOptions, createClient } from '@vertical-kit/ui-client'
import { openSession, type Session } from '@vertical-kit/ui-client/stores'
import { onTestFinished } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { accessToken, type OpenDemo } from '../demo-process.ts'

/** A client of somebody's, and how long it waited between two attempts: not at all. */
export interface SignedIn {
  readonly client: Client
  readonly session: Session
  readonly waitsMs: readonly number[]
}

/** Signs in to a demo, through `url` when it is given. The session ends with the test. */
export async function signInAs(
  demo: OpenDemo,
  user: string,
  options: { readonly url?: string } & Partial<Omit<ClientOptions, 'baseUrl'>> = {},
): Promise<SignedIn> {
  const { url = demo.url, ...given } = options
  const token = await accessToken(demo.issuer, user)
  const waitsMs: number[] = []
  const client = createClient({
    baseUrl: url,
    accessToken: () => token,
    wait: async (ms) => {
      waitsMs.push(ms)
    },
    ...given,
  })
  const session = openSession({ client, userId: user })
  onTestFinished(() => session.close())
  return { client, session, waitsMs }
}

/** A draft invoice of its own, to attach things to. */
export async function invoiceOf(demo: OpenDemo): Promise<string> {
  const clerk = await demo.as('clerk')
  const first = async (path: string) =>
    (await expectAnswer(clerk('GET', `${path}?limit=1`), 200)).items[0]?.id
  const customerId = await first('/api/catalogs/trade.customer')
  const lines = [{ itemId: await first('/api/catalogs/trade.item'), quantity: 1, unitPrice: '1.00' }]
  const body = { fields: { customerId, dueDate: '2030-01-31', lines } }
  return (await expectAnswer(clerk('POST', '/api/documents/trade.sales_invoice', { body }), 201)).id
}
