import {
  type BusinessObjectReference,
  type Client,
  type ClientOptions,
  createClient,
  type DocumentReference,
  type ExecutionResult,
  newIdempotencyKey,
} from '@vertical-kit/ui-client'
import { type Deletion, type DeletionState, openSession, type Session } from '@vertical-kit/ui-client/stores'
import { onTestFinished } from 'vitest'
import { type Clock, createClock } from './clock.ts'
import type { Host } from './host/deployment.ts'
import { createGate, type Gate } from './network/gate.ts'

/** A user's client and session, with a gate that can delay responses. */
export interface SignedIn {
  readonly client: Client
  readonly session: Session
  /** The gate through which all requests pass, unless the test provides its own `fetch`. */
  readonly gate: Gate
  /** The clock of the session. */
  readonly clock: Clock
  /** The client's requests for a token, in order. */
  readonly asks: { readonly refresh: boolean }[]
  /** The delays between the client's attempts. In tests, the client does not actually wait. */
  readonly waitsMs: readonly number[]
}

/** The options of {@link signIn}. `url` is a network in front of the host. All other options are passed to the client. */
export type SignIn = Partial<Omit<ClientOptions, 'baseUrl'>> & { readonly url?: string }

/** Signs a user in to a host with a token that is valid for one hour. The session ends with the test. */
export async function signIn(host: Host, user: string, options: SignIn = {}): Promise<SignedIn> {
  const { url = host.url, accessToken, ...given } = options
  const gate = createGate()
  const asks: { readonly refresh: boolean }[] = []
  const waitsMs: number[] = []
  const token = await host.token(user)
  const client = createClient({
    baseUrl: url,
    accessToken(ask) {
      asks.push(ask)
      return accessToken === undefined ? token : accessToken(ask)
    },
    fetch: gate.fetch,
    wait: async (ms) => {
      waitsMs.push(ms)
    },
    ...given,
  })
  const clock = createClock()
  const session = openSession({ client, userId: user, wait: clock.wait })
  onTestFinished(() => session.close())
  return { client, session, gate, clock, asks, waitsMs }
}

/** Sends a deletion before its time, and resolves with its final state. */
export function sent({ countdown, ended }: Deletion): Promise<DeletionState | null> {
  countdown.end()
  return ended
}

/** Returns the reference of a document as a target of notes and files. */
export const targetOf = ({ typeCode, id }: DocumentReference): BusinessObjectReference => ({
  kind: 'Document',
  typeCode,
  id,
})

/** Executes an action on the current version of a document. */
export async function act(
  client: Client,
  document: DocumentReference,
  action: { readonly code: string; readonly payload?: unknown },
): Promise<ExecutionResult> {
  const { documentVersion } = await client.documents.editorState(document)
  return client.documents.execute({
    ...document,
    actionCode: action.code,
    expectedVersion: documentVersion,
    payload: action.payload,
    idempotencyKey: newIdempotencyKey(),
  })
}

/** Adds and posts an invoice, which creates a task for both clerks. */
export async function postedInvoice(host: Host, client: Client): Promise<DocumentReference> {
  const invoice = await host.addInvoice()
  await act(client, invoice, { code: 'post' })
  return invoice
}
