import type { DocumentReference } from '@vertical-kit/ui-client'
import {
  type DocumentActionsStore,
  documentActionsStore,
  type ExecutionOutcome,
} from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { act, signIn } from '../signed-in.ts'
import { type Desk, openDesk } from './documents-stage.ts'

export let host: Host

/** Opens the host of a test file. */
export function openActions(): void {
  beforeAll(async () => {
    host = await openHost()
  })
  afterAll(() => host.close())
}

/** Opens the store of a document for a user, and loads the document. */
export async function open(
  document: DocumentReference,
  user = 'clerk',
): Promise<DocumentActionsStore & { readonly desk: Desk }> {
  const desk = await openDesk(host, user)
  const store = documentActionsStore(desk.session, document)
  await store.load()
  return { ...store, desk }
}

/** Executes an action as another user. */
export async function actAs(user: string, ...[document, action]: ActOn): Promise<void> {
  await act((await signIn(host, user)).client, document, action)
}
type ActOn = [document: DocumentReference, action: Parameters<typeof act>[2]]

export const draftInvoice = () => host.addInvoice()

export async function postedPayment(): Promise<DocumentReference> {
  const payment = await host.addPayment()
  await actAs('clerk', payment, { code: 'post' })
  return payment
}

/** Returns how often the payment was applied, according to the service. */
export async function applicationCount(payment: DocumentReference): Promise<number> {
  const { client } = await signIn(host, 'clerk')
  return (await client.documents.effects(payment)).accountingEntries.length
}

export const shown = ({ $state }: DocumentActionsStore) => {
  const { status, state } = $state.get()
  return { status, document: state?.document.status, version: state?.documentVersion }
}
export const allowed = ({ $state }: DocumentActionsStore) =>
  $state
    .get()
    .state?.actions.filter(({ isAllowed }) => isAllowed)
    .map(({ code }) => code)
export const resultOf = (outcome: ExecutionOutcome | null) =>
  outcome !== null && 'value' in outcome ? outcome.value : undefined
export const failureOf = ({ $execution }: DocumentActionsStore) => {
  const execution = $execution.get()
  if (execution.status !== 'failed') return execution.status
  const { actionCode, error, isRetriable } = execution
  return { actionCode, code: error.code, isRetriable }
}
