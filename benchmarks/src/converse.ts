import { Agent, request } from 'node:http'
import { type CaseRequest, type Drive, headersOf, type Target } from './measure.ts'

/** A client with one connection. It creates each request from earlier responses. */
export interface Conversation {
  next(): CaseRequest
  /** Processes the JSON of the response. */
  receive(answer: unknown): void
}

/**
 * Returns a load of requests that depend on earlier responses, and therefore cannot be prepared. Calls `open` for each
 * connection of a run. At the end of a run, waits for the responses to all requests, so that the next run starts from the
 * resulting state.
 */
export function inConversation(open: (connection: number, connections: number) => Conversation): Drive {
  return async (target, { connections, seconds }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const startedMs = performance.now()
    const untilMs = startedMs + seconds * 1_000
    const hold = async (connection: number): Promise<number> => {
      const conversation = open(connection, connections)
      let count = 0
      while (performance.now() < untilMs) {
        conversation.receive(await exchange(target, agent, conversation.next()))
        count += 1
      }
      return count
    }
    try {
      const counts = await Promise.all(Array.from({ length: connections }, (_, index) => hold(index)))
      const requests = counts.reduce((one, other) => one + other, 0)
      return { requests, requestsPerSecond: requests / ((performance.now() - startedMs) / 1_000) }
    } finally {
      agent.destroy()
    }
  }
}

/** Sends a request and resolves with the JSON of the response. Rejects if the status is not 2xx. */
export function exchange(target: Target, agent: Agent, asked: CaseRequest): Promise<unknown> {
  const body = asked.body === undefined ? undefined : JSON.stringify(asked.body)
  const headers = {
    ...headersOf(target, asked),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${target.url}${asked.path}`, { method: asked.method, agent, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.once('error', reject)
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.once('end', () => {
        const text = Buffer.concat(chunks).toString()
        const status = answer.statusCode ?? 0
        if (status >= 200 && status < 300) resolve(JSON.parse(text))
        else reject(new Error(`${asked.method} ${target.url}${asked.path}: ${status} ${text}`))
      })
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
