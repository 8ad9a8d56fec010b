import { Agent, request } from 'node:http'
import { type CaseRequest, type Drive, headersOf, type Target } from './measure.ts'

/** Whoever sits at one connection: asks, hears the answer, asks again. */
export interface Conversation {
  ask(): CaseRequest
  /** The answer's JSON. */
  hear(answer: unknown): void
}

/**
 * Puts a target under load with requests that follow from the answers before, which a list drawn up beforehand cannot.
 * `open` is asked for each connection of a run. Nothing is cut off at the end: every request is heard out, so that the
 * next run knows what the last one left behind.
 */
export function inConversation(open: (connection: number, connections: number) => Conversation): Drive {
  return async (target, { connections, seconds }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const startedMs = performance.now()
    const untilMs = startedMs + seconds * 1_000
    const hold = async (connection: number): Promise<number> => {
      const conversation = open(connection, connections)
      let heardCount = 0
      while (performance.now() < untilMs) {
        conversation.hear(await exchange(target, agent, conversation.ask()))
        heardCount += 1
      }
      return heardCount
    }
    try {
      const counts = await Promise.all(Array.from({ length: connections }, (_, index) => hold(index)))
      const heardCount = counts.reduce((one, other) => one + other, 0)
      return { requestsPerSecond: heardCount / ((performance.now() - startedMs) / 1_000) }
    } finally {
      agent.destroy()
    }
  }
}

/** Sends a request and resolves with the answer's JSON. Rejects when it was not a 2xx: a fast error is no result. */
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
