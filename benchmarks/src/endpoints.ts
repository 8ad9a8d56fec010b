import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { exchange, inConversation } from './converse.ts'
import type { FilledDocument } from './data.ts'
import type { Setup } from './hosts.ts'
import { type CaseRequest, type Drive, inTurn } from './measure.ts'

/** An endpoint that is measured under load. */
export interface Endpoint {
  readonly name: string
  /** Creates the load for a filled database. Some endpoints first send preparatory requests to the host. */
  open(setup: Setup): Drive | Promise<Drive>
}

const typeCode = 'trade.sales_invoice'
const pathOf = ({ id }: FilledDocument): string => `/api/documents/${typeCode}/${id}`

const reading = (name: string, path: string): Endpoint => ({
  name,
  open: ({ documents: { read } }) =>
    inTurn(
      read.map(({ id }) => ({
        method: 'GET',
        path: `${path}?kind=Document&typeCode=${typeCode}&objectId=${id}`,
      })),
    ),
})

export const features: Endpoint = {
  name: 'features',
  open: () => inTurn([{ method: 'GET', path: '/api/features' }]),
}

export const listNotes = reading('list notes', '/api/notes')
export const listAttachments = reading('list attachments', '/api/attachments')
export const contentSummary = reading('content summary', '/api/business-objects/content-summary')

export const createNote: Endpoint = {
  name: 'create note',
  open: ({ documents: { read } }) =>
    inTurn(
      read.map(({ id }) => ({
        method: 'POST',
        path: '/api/notes',
        body: {
          target: { kind: 'Document', typeCode, id },
          text: 'Spoke to the customer; delivery before noon.',
        },
      })),
    ),
}

/** Reads the editor state of documents. Half of them are posted. */
export const editorState: Endpoint = {
  name: 'editor state',
  open: ({ documents: { read } }) =>
    inTurn(read.map((document) => ({ method: 'GET', path: `${pathOf(document)}/editor-state` }))),
}

/**
 * Each connection alternately posts and unposts its own documents. Every request has a new key and the version from the
 * last response. The actions are spread over many documents, so that no document has a long history.
 */
export const execute = {
  name: 'execute',
  open: ({ documents: { acted } }) =>
    inConversation((connection, connections) => {
      const own = acted.filter((_, index) => index % connections === connection)
      let turn = Math.floor(Math.random() * own.length)
      return {
        next: () => execution(documentAt(own, turn), randomUUID()),
        receive: (answer) => {
          note(documentAt(own, turn), answer)
          turn += 1
        },
      }
    }),
} satisfies Endpoint

const batchSize = 100

/** Like {@link execute}, but each request executes the action on 100 documents. Counts documents instead of requests. */
export const batch: Endpoint = {
  name: 'batch',
  open({ documents: { acted } }) {
    // All documents of a batch have the same status, because a batch executes one action.
    const own = acted.filter(({ status }) => status === 'Draft').slice(0, batchSize)
    const drive = inConversation(() => ({
      next: () => batchOf(own, randomUUID()),
      receive(answer) {
        const { results } = answer as { readonly results: readonly { readonly result: unknown }[] }
        for (const [index, { result }] of results.entries()) note(documentAt(own, index), result)
      },
    }))
    return async (target, load) => {
      const sample = await alone(drive)(target, load)
      return {
        requests: sample.requests * batchSize,
        requestsPerSecond: sample.requestsPerSecond * batchSize,
      }
    }
  },
}

/** Executes the same actions on other documents with one request for each, one after the other. */
export const inSequence: Endpoint = {
  name: 'in sequence',
  open({ documents: { acted, ...others }, ...setup }) {
    const documents = {
      ...others,
      acted: acted.filter(({ status }) => status !== 'Draft').slice(0, batchSize),
    }
    return alone(execute.open({ ...setup, documents }))
  },
}

/** Uses one connection. */
const alone =
  (drive: Drive): Drive =>
  (target, load) =>
    drive(target, { ...load, connections: 1 })

function batchOf(documents: readonly FilledDocument[], key: string): CaseRequest {
  const actionCode = documents[0]?.status === 'Draft' ? 'post' : 'unpost'
  return {
    method: 'POST',
    path: `/api/documents/${typeCode}/actions/${actionCode}/batch`,
    headers: { 'idempotency-key': key },
    body: { items: documents.map(({ id, version }) => ({ id, expectedVersion: version })) },
  }
}

/** Executes one action on each document that is only read, and then repeats these requests. */
export const replay: Endpoint = {
  name: 'replay',
  async open({ documents: { read }, host }) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const requests: CaseRequest[] = []
    for (const document of read) {
      const request = execution(document, randomUUID())
      note(document, await exchange(host, agent, request))
      requests.push(request)
    }
    agent.destroy()
    return inTurn(requests)
  },
}

function execution(document: FilledDocument, key: string): CaseRequest {
  const { status, version } = document
  return {
    method: 'POST',
    path: `${pathOf(document)}/actions/${status === 'Draft' ? 'post' : 'unpost'}`,
    headers: { 'idempotency-key': key },
    body: { expectedVersion: version },
  }
}

/** Stores the state that the response to an execution contains. */
function note(filled: FilledDocument, answer: unknown): void {
  const { document, documentVersion } = answer as {
    readonly document: Pick<FilledDocument, 'status'>
    readonly documentVersion: number
  }
  filled.status = document.status
  filled.version = documentVersion
}

function documentAt(documents: readonly FilledDocument[], turn: number): FilledDocument {
  const document = documents[turn % documents.length]
  if (document === undefined) throw new Error('Increase --documents: each connection needs a document')
  return document
}
