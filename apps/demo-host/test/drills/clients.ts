import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Answer, AnswerBody, Balancer, Outgoing } from './balancer.ts'

/** Everything that the clients know about their writes. The invariants compare it with the data. */
export interface Journal {
  /** Notes by their text: whether a host acknowledged the note. The outcome of the others is unknown. */
  readonly notes: Map<string, { readonly isAcknowledged: boolean; readonly documentId: string }>
  /** Completed uploads: the SHA-256 of the bytes by attachment id. */
  readonly files: Map<string, string>
  /** Executed actions: the execution id by document id, and the request to repeat. */
  readonly executions: Map<string, { readonly executionId: string; readonly request: Outgoing }>
  /** Claimed tasks: the user by task id. */
  readonly claims: Map<string, string>
}

/** Clients that write continuously. */
export interface Clients {
  readonly journal: Journal
  /** Never resolves; rejects when a client failed. */
  readonly failure: Promise<never>
  /** Resolves when every client has completed a cycle of writes that began after the call. Rejects if a client failed. */
  eachCompletesAWrite(): Promise<void>
  /** Runs `work` while no client sends a request. Rejects if a client failed before. */
  whilePaused(work: () => Promise<unknown>): Promise<void>
  /** Lets every client finish its cycle. Rejects if a client failed. */
  stop(): Promise<void>
}

export interface ClientOptions {
  readonly balancer: Balancer
  /** Tokens and user ids of the users, who take turns. */
  readonly users: readonly { readonly token: string; readonly userId: string }[]
  readonly count: number
}

const salesInvoice = 'trade.sales_invoice'

/** Starts clients that create invoices, notes and files, post the invoices, and claim tasks. */
export function startClients({ balancer, users, count }: ClientOptions): Clients {
  const journal: Journal = {
    notes: new Map(),
    files: new Map(),
    executions: new Map(),
    claims: new Map(),
  }
  let isStopping = false
  const cycles = Array.from({ length: count }, () => 0)
  let progressed = Promise.withResolvers<void>()
  const run = async (index: number): Promise<void> => {
    const user = users[index % users.length]
    if (user === undefined) throw new TypeError('At least one user is required')
    const client = { ...user, balancer, journal }
    const sale = await prepareSale(client)
    while (!isStopping) {
      await oneCycle(client, sale)
      cycles[index] = (cycles[index] ?? 0) + 1
      progressed.resolve()
      progressed = Promise.withResolvers()
    }
  }
  const { promise: failure, reject: fail } = Promise.withResolvers<never>()
  failure.catch(() => {})
  const start = (): Promise<unknown> => {
    const all = Promise.all(Array.from({ length: count }, (_, index) => run(index)))
    all.catch(fail)
    return all
  }
  let running = start()
  return {
    journal,
    failure,
    async eachCompletesAWrite() {
      // The cycle that runs now began before the call, so only the cycle after it counts.
      const wanted = cycles.map((done) => done + 2)
      while (wanted.some((least, index) => (cycles[index] ?? 0) < least)) {
        await Promise.race([progressed.promise, failure])
      }
    },
    async whilePaused(work) {
      isStopping = true
      await running
      await work()
      isStopping = false
      running = start()
    },
    async stop() {
      isStopping = true
      await running
    },
  }
}

interface Client {
  readonly token: string
  readonly userId: string
  readonly balancer: Balancer
  readonly journal: Journal
}

/** Creates a customer and an item, and returns the fields of an invoice with them. */
async function prepareSale({ balancer, token }: Client): Promise<object> {
  const create = async (type: string): Promise<string> => {
    const path = `/api/catalogs/${type}`
    const body = { name: randomUUID(), fields: {} }
    return expect(await balancer.untilAnswered({ method: 'POST', path, token, body }), 201).id
  }
  const [customerId, itemId] = [await create('trade.customer'), await create('trade.item')]
  return { customerId, dueDate: '2027-01-31', lines: [{ itemId, quantity: 2, unitPrice: '12.50' }] }
}

async function oneCycle(client: Client, fields: object): Promise<void> {
  const { balancer, token } = client
  // A lost answer leaves a second draft, which is harmless: a draft has no effects.
  const body = { fields }
  const draft = expect(
    await balancer.untilAnswered({ method: 'POST', path: `/api/documents/${salesInvoice}`, token, body }),
    201,
  )
  await addNote(client, draft.id)
  await uploadFile(client, draft.id)
  await post(client, draft.id)
  await claimOne(client)
}

/** Adds a note once. It has no idempotency key, so the outcome is unknown without an answer. */
async function addNote({ balancer, token, journal }: Client, documentId: string): Promise<void> {
  const text = randomUUID()
  const body = { target: targetOf(documentId), text }
  const answer = await balancer.once({ method: 'POST', path: '/api/notes', token, body })
  journal.notes.set(text, { isAcknowledged: answer?.status === 201, documentId })
}

async function uploadFile({ balancer, token, journal }: Client, documentId: string): Promise<void> {
  const bytes = randomBytes(20_000)
  const contentType = 'application/octet-stream'
  const file = { fileName: 'drill.bin', contentType, sizeBytes: bytes.length }
  const body = { target: targetOf(documentId), ...file }
  const path = '/api/attachments/uploads'
  // A lost answer leaves a pending upload, which expires.
  const reserved = expect(await balancer.untilAnswered({ method: 'POST', path, token, body }), 201)
  const { id } = reserved.attachment
  const { url, method, headers } = reserved.upload
  const complete = { method: 'POST', path: `/api/attachments/${id}/complete`, token }
  for (;;) {
    await fetch(url, { method, headers, body: bytes }).catch(() => {})
    const answer = await balancer.untilAnswered(complete)
    // The store did not receive the bytes, or the staging object changed during the copy: send the bytes again.
    if (isCode(answer, 'attachments.upload_missing', 'attachments.upload_changed')) continue
    expect(answer, 200)
    journal.files.set(id, createHash('sha256').update(bytes).digest('hex'))
    return
  }
}

async function post({ balancer, token, journal }: Client, documentId: string): Promise<void> {
  const request = {
    method: 'POST',
    path: `/api/documents/${salesInvoice}/${documentId}/actions/post`,
    token,
    headers: { 'Idempotency-Key': randomUUID() },
    body: { expectedVersion: 1 },
  }
  const { executionId } = expect(await balancer.untilAnswered(request), 200)
  journal.executions.set(documentId, { executionId, request })
}

async function claimOne({ balancer, token, userId, journal }: Client): Promise<void> {
  const path = '/api/work-center/items?tab=attention&limit=100'
  const { items } = expect(await balancer.untilAnswered({ method: 'GET', path, token }), 200)
  const open = items.filter((item) => item.taskStatus === 'Open')
  const task = open[Math.floor(Math.random() * open.length)]
  if (task === undefined) return
  const answer = await balancer.untilAnswered({
    method: 'POST',
    path: `/api/work-center/tasks/${task.id}/claim`,
    token,
    body: { expectedVersion: task.version },
  })
  if (answer.status === 200) journal.claims.set(task.id, userId)
}

export const targetOf = (documentId: string) => ({
  kind: 'Document',
  typeCode: salesInvoice,
  id: documentId,
})

const isCode = ({ body }: Answer, ...codes: readonly string[]): boolean => codes.includes(body.code)

/** Returns the body of an answer with this status. */
function expect(answer: Answer, status: number): AnswerBody {
  if (answer.status === status) return answer.body
  throw new Error(`Expected status ${status}, got ${answer.status} ${JSON.stringify(answer.body)}`)
}
