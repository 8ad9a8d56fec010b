/**
 * Sends whole bodies from a thread of its own, as a client elsewhere does: one that shares the server's event loop
 * never writes while the server answers, and never loses the answer.
 */
import { parentPort, workerData } from 'node:worker_threads'

/** What to send, and how often. Each time once with its length declared and once in chunks. */
export interface SendBodies {
  readonly url: string
  readonly bytes: number
  readonly rounds: number
}

const { url, bytes, rounds } = workerData as SendBodies
const whole = new Uint8Array(bytes).fill(0x20)

async function statusOf(body: Uint8Array | ReadableStream): Promise<string> {
  const options = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, duplex: 'half' }
  return fetch(url, options as never).then(
    async (response) => {
      await response.text()
      return String(response.status)
    },
    () => 'the answer was lost',
  )
}

const answers: string[] = []
for (let round = 0; round < rounds; round += 1) {
  answers.push(await statusOf(whole), await statusOf(new Blob([whole]).stream()))
}
parentPort?.postMessage(answers)
