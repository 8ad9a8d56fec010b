import { randomUUID } from 'node:crypto'
import { type Body, expectAnswer } from './answers.ts'
import type { Request } from './demo-process.ts'

/** The reference to a document. */
export interface DocumentReference {
  readonly typeCode: string
  readonly id: string
}

/** An action in an editor state or in the result of an execution. */
export interface Action {
  readonly code: string
  readonly label: string
  readonly kind: string
  readonly executionKind: string
  readonly isAllowed: boolean
  readonly disabledReasons: readonly { readonly code: string; readonly message: string }[]
  readonly target: { readonly code: string; readonly parameters: Readonly<Record<string, string>> } | null
}

/** A document in a response. */
export interface Document extends DocumentReference {
  readonly number: string
  readonly status: string
  readonly createdAtUtc: string
  readonly payload: { readonly fields: Readonly<Record<string, unknown>> }
}

export interface EditorState {
  readonly document: Document
  readonly documentVersion: number
  readonly actions: readonly Action[]
}

export interface ExecutionResult extends EditorState {
  readonly executionId: string
  readonly workCenterMayChange: boolean
  readonly createdDocument: Document | null
}

export interface Execution {
  readonly expectedVersion: number
  readonly payload?: unknown
  readonly reason?: string
  /** The idempotency key. If it is missing, the request uses a random key. */
  readonly key?: string
}

const documentPath = ({ typeCode, id }: DocumentReference): string => `/api/documents/${typeCode}/${id}`

/** Sends a request to execute an action and returns the response. */
export function execute(
  request: Request,
  document: DocumentReference,
  actionCode: string,
  { key = randomUUID(), ...body }: Execution,
): Promise<Response> {
  const headers = { 'Idempotency-Key': key }
  return request('POST', `${documentPath(document)}/actions/${actionCode}`, { headers, body })
}

/** Executes an action on the current version of a document and asserts that the response is successful. */
export async function act(
  request: Request,
  document: DocumentReference,
  actionCode: string,
  rest: Omit<Execution, 'expectedVersion'> = {},
): Promise<ExecutionResult> {
  const { documentVersion: expectedVersion } = await editorState(request, document)
  const response = execute(request, document, actionCode, { expectedVersion, ...rest })
  return (await expectAnswer(response, 200)) as Body & ExecutionResult
}

export async function editorState(request: Request, document: DocumentReference): Promise<EditorState> {
  return (await expectAnswer(request('GET', `${documentPath(document)}/editor-state`), 200)) as Body &
    EditorState
}

/** Returns the codes of the disabled reasons of each action. The list of an enabled action is empty. */
export async function reasons(
  request: Request,
  document: DocumentReference,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const { actions } = await editorState(request, document)
  return Object.fromEntries(
    actions.map(({ code, disabledReasons }) => [code, disabledReasons.map((reason) => reason.code)]),
  )
}

export interface Effects {
  readonly accountingEntries: readonly {
    readonly account: string
    readonly debit: string
    readonly credit: string
    readonly postedAtUtc: string
  }[]
  readonly registerMovements: readonly {
    readonly register: string
    readonly itemId: string
    readonly quantity: string
    readonly postedAtUtc: string
  }[]
}

export async function effects(request: Request, document: DocumentReference): Promise<Effects> {
  return (await expectAnswer(request('GET', `${documentPath(document)}/effects`), 200)) as Body & Effects
}

/** Returns each accounting entry of a document as account, debit and credit, for example `1000 Bank 12.50 0.00`. */
export async function entriesInShort(
  request: Request,
  document: DocumentReference,
): Promise<readonly string[]> {
  const { accountingEntries } = await effects(request, document)
  return accountingEntries.map(({ account, debit, credit }) => `${account} ${debit} ${credit}`)
}
