import { once } from 'node:events'
import { stat, watch } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'

export const uploadBytes = 1_000_000

/**
 * Sends a body without its last byte to the presigned URL. Resolves when some bytes have reached the disk, with a function
 * that sends the last byte and returns the status.
 */
export async function startUpload(url: string, incoming: string): Promise<() => Promise<number | undefined>> {
  const unfinished = firstBytesIn(incoming)
  const headers = { 'Content-Length': uploadBytes }
  const upload = request(url, { method: 'PUT', headers })
    // Ignore the error, because some tests close the store or kill its process.
    .on('error', () => {})
  upload.write('x'.repeat(uploadBytes - 1))
  await unfinished
  return async () => {
    const answered = once(upload, 'response')
    upload.end('x')
    const [response] = await answered
    return response.resume().statusCode
  }
}

async function firstBytesIn(directory: string): Promise<void> {
  for await (const { filename } of watch(directory)) {
    if (filename !== null && (await stat(join(directory, filename))).size > 0) return
  }
}
