import { type Client, createClient } from '@vertical-kit/ui-client'
import { openSession, type Session } from '@vertical-kit/ui-client/stores'
import { onTestFinished } from 'vitest'
import type { Document } from '../actions.ts'
import type { Request } from '../demo-process.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import type { Replica } from '../work-center/hosts.ts'
import { createGate, type Gate } from './gate.ts'

/** A user at a replica, with a way to the service that can be held. */
export interface AtDesk {
  readonly client: Client
  readonly session: Session
  readonly gate: Gate
  /** What was asked for a token, in order. */
  readonly asks: { readonly refresh: boolean }[]
  readonly request: Request
}

export interface SitDown {
  /** Default: a token that is good for an hour. */
  readonly tokenFor?: (ask: { readonly refresh: boolean }) => Promise<string | null>
  /** Default: the gate. */
  readonly fetch?: typeof globalThis.fetch
}

/** Opens a session that ends with the test. */
export async function sitDown(
  replica: Replica,
  user: string,
  { tokenFor = () => replica.token(user), fetch }: SitDown = {},
): Promise<AtDesk> {
  const gate = createGate()
  const asks: { readonly refresh: boolean }[] = []
  const client = createClient({
    baseUrl: replica.url,
    accessToken: (ask) => {
      asks.push(ask)
      return tokenFor(ask)
    },
    fetch: fetch ?? gate.fetch,
    // How long it waits between two attempts is not what these tests are about.
    wait: async () => {},
  })
  const session = openSession({ client, userId: user })
  onTestFinished(() => session.close())
  return { client, session, gate, asks, request: await replica.as(user) }
}

/** Posts an invoice: a task for both clerks, soon. */
export const invoice = ({ request }: AtDesk): Promise<Document> => postedInvoice(request)
