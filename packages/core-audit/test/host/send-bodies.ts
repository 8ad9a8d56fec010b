/**
 * Sends complete bodies from a separate thread, like a remote client. A client on the server's event loop never writes
 * while the server answers, so it would not show that a client can lose the answer.
 */
import { parentPort, workerData } from 'node:worker_threads'

/** The address, the body size and the number of rounds. A round sends one body with a declared length and one in chunks. */
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
