import { connect } from 'node:net'
import { addAbortSignal } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ScanFile, ScanVerdict } from './scanner.ts'

/** The address of a ClamAV daemon: TCP, or a Unix socket. */
export type ClamdAddress = { readonly host: string; readonly port: number } | { readonly path: string }

/**
 * Creates a scanner that sends files to a ClamAV daemon with its command `INSTREAM`
 * (https://docs.clamav.net/manual/Usage/Scanning.html#clamd). One connection for each file. A file above the daemon's
 * `StreamMaxLength` has an unknown result.
 */
export const clamdScanner =
  (address: ClamdAddress): ScanFile =>
  async ({ body }, signal) => {
    const socket = addAbortSignal(signal, connect(address))
    let answer = ''
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
      // Some proxies keep the connection open after the answer.
      if (answer.endsWith('\0') || answer.length > maxAnswerChars) socket.destroy()
    })
    let failure: unknown
    const fail = (error: unknown) => {
      failure ??= error
      socket.destroy()
    }
    socket.on('error', fail)
    let isSent = false
    const send = async () => {
      await pipeline(inFrames(remembering(body, fail)), socket, { end: false })
      isSent = true
    }
    send().catch(fail)
    await new Promise((resolve) => socket.once('close', resolve))
    if (answer.endsWith('\0')) return readAnswer(answer, { isSent })
    if (failure !== undefined && !isCutOff(failure)) throw failure
    // The answer to a file that is too large is often lost, because the daemon closes the connection while the file is sent.
    throw new Error('clamd closed the connection; the file may exceed its StreamMaxLength', {
      cause: failure,
    })
  }

/** Longer answers are not from the daemon. */
const maxAnswerChars = 4_096

/** A failure of the body, which is not one of the daemon, even if both have the same code. */
class BodyFailure extends Error {
  override readonly name = 'BodyFailure'
}

/** Yields the body, and reports its failure before the socket fails, too. */
async function* remembering(
  body: AsyncIterable<Uint8Array>,
  fail: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    fail(new BodyFailure('The file could not be read', { cause }))
    throw cause
  }
}

const isCutOff = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET')

/** Yields the command, each chunk with its length in four bytes, and the empty chunk that ends the stream. */
async function* inFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from('zINSTREAM\0')
  for await (const chunk of body) {
    // An empty chunk would end the stream.
    if (chunk.byteLength === 0) continue
    yield lengthOf(chunk)
    yield chunk
  }
  yield lengthOf(new Uint8Array())
}

function lengthOf({ byteLength }: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(byteLength)
  return length
}

/**
 * Reads `stream: OK` or `stream: <name> FOUND`. Every other answer, such as `… ERROR`, means that the result is unknown. So does
 * `OK` before the whole file was sent.
 */
function readAnswer(raw: string, { isSent }: { readonly isSent: boolean }): ScanVerdict {
  const line = raw.slice(0, -1)
  if (line === 'stream: OK' && isSent) return { isClean: true }
  const finding = /^stream: (.+) FOUND$/.exec(line)?.[1]
  if (finding === undefined) throw new Error(`clamd answered: ${line.slice(0, 200)}`)
  return { isClean: false, finding }
}
