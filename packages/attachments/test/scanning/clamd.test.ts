import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../../vitest.free-port.ts'
import { findOptionalPrograms } from '../../../../vitest.optional-programs.ts'
import { type ClamdAddress, clamdScanner } from '../../src/scanning/clamd.ts'
import {
  allPermissions,
  complete,
  openAttachmentsHost,
  openStore,
  put,
  refusalOf,
  reserve,
} from '../harness.ts'
import { scanWorker } from './scan-bench.ts'
import { type Clamd, malware, maxSearchedBytes, maxStreamBytes, startClamd } from './start-clamd.ts'

const { missing, isRequired, advice } = findOptionalPrograms().clamav

async function* chunks(...bytes: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const one of bytes) yield Buffer.from(one)
}

const scan = (
  address: ClamdAddress,
  body: AsyncIterable<Uint8Array>,
  signal = new AbortController().signal,
) => clamdScanner(address)({ id: '', fileName: '', contentType: '', sizeBytes: 0, body }, signal)

const isClean = { isClean: true }

if (missing.length === 0) {
  describe('the daemon of ClamAV', () => {
    let clamd: Clamd

    beforeAll(async () => {
      clamd = await startClamd()
    }, 60_000)
    afterAll(() => clamd.close())

    test.each([
      ['an empty file', []],
      ['a file', ['hello']],
      ['empty chunks', ['', 'hello', '']],
      ['a large file', [Buffer.alloc(maxSearchedBytes - 1, 'a')]],
    ])('finds nothing in %s', async (_what, bytes) => {
      expect(await scan(clamd, chunks(...bytes))).toEqual(isClean)
    })

    test('finds malware that is in two chunks, over TCP and over a Unix socket', async () => {
      const bytes = ['before', malware.slice(0, 5), malware.slice(5), 'after']
      const found = { isClean: false, finding: 'Test.Malware-1.UNOFFICIAL' }
      expect(await scan({ host: clamd.host, port: clamd.port }, chunks(...bytes))).toEqual(found)
      expect(await scan({ path: clamd.path }, chunks(...bytes))).toEqual(found)
    })

    test('does not call a file clean that is too large to be searched', async () => {
      const { isClean: isAccepted, ...found } = await scan(clamd, chunks(Buffer.alloc(maxSearchedBytes + 1)))
      expect(isAccepted).toBe(false)
      expect(found).toMatchObject({ finding: expect.stringMatching(/^Heuristics\.Limits\.Exceeded/) })
    })

    test('does not accept a file above its limit, so its result is unknown', async () => {
      async function* tooLarge() {
        for (let sent = 0; sent <= 4 * maxStreamBytes; sent += 65_536) yield Buffer.alloc(65_536, 'a')
      }
      await expect(scan(clamd, tooLarge())).rejects.toThrow(/StreamMaxLength|size limit/)
    })

    test('scans the uploads of a host whose configuration names it', async () => {
      const store = await openStore()
      const environment = { Attachments__Clamd: `${clamd.host}:${clamd.port}` }
      const host = await openAttachmentsHost({ store, environment })
      onTestFinished(async () => {
        await host.close()
        await store.close()
      })
      const clerk = await host.as({ subject: 'clerk', permissions: allPermissions })
      const upload = async (bytes: string) => {
        const reserved = await reserve(clerk, { sizeBytes: bytes.length })
        await put(reserved, bytes)
        await complete(clerk, reserved.attachment.id)
        return reserved.attachment.id
      }
      const [good, bad] = [await upload('hello'), await upload(malware)]
      await scanWorker(host).runOnce(new AbortController().signal)
      expect((await complete(clerk, good)).status).toBe(200)
      expect(await refusalOf(await complete(clerk, bad))).toEqual({
        status: 409,
        code: 'attachments.quarantined',
      })
    })
  })
} else {
  const reason = `Not tested with ClamAV: ${missing.join(', ')} not installed (${advice})`
  test('ClamAV is installed if VK_TEST_REQUIRE names it', (context) => {
    expect(isRequired, reason).toBe(false)
    context.skip(reason)
  })
}

test('an answer counts even if a proxy keeps the connection open', async () => {
  const endOfFile = Buffer.alloc(4)
  const address = await listen((socket) => {
    let received = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      if (received.subarray(-4).equals(endOfFile)) socket.write('stream: OK\0')
    })
  })
  expect(await scan(address, chunks('hello'))).toEqual(isClean)
})

/** Starts a server that handles connections like `serve`, and returns its address. */
async function listen(serve: (socket: Socket) => void): Promise<ClamdAddress> {
  const port = await freePort()
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    // The scanner ends connections early.
    socket.on('error', () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return { host: '127.0.0.1', port }
}

describe('the result is unknown', () => {
  test.each([
    [
      'reports an error',
      'stream: Can not open file ERROR\0',
      'clamd answered: stream: Can not open file ERROR',
    ],
    ['answers with something else', 'PONG\0', 'clamd answered: PONG'],
    ['sends a part of an answer', 'stream: OK', 'clamd closed the connection'],
    ['sends no answer', '', 'clamd closed the connection'],
  ])('if the daemon %s', async (_what, answer, message) => {
    const address = await listen((socket) => socket.end(answer))
    await expect(scan(address, chunks('hello'))).rejects.toThrow(message)
  })

  test('if the daemon calls a file clean before it has received the whole file', async () => {
    const address = await listen((socket) => socket.once('data', () => socket.end('stream: OK\0')))
    async function* endless() {
      yield* chunks('hello')
      await new Promise(() => {})
    }
    await expect(scan(address, endless())).rejects.toThrow('clamd answered: stream: OK')
  })

  test('if the answer does not end', async () => {
    const address = await listen((socket) => socket.resume().write('x'.repeat(100_000)))
    await expect(scan(address, chunks('hello'))).rejects.toThrow('clamd closed the connection')
  })

  test('if the daemon is not running', async () => {
    const address = { host: '127.0.0.1', port: await freePort() }
    await expect(scan(address, chunks('hello'))).rejects.toThrow('ECONNREFUSED')
  })

  test('if the body of the file fails', async () => {
    const address = await listen((socket) => socket.resume())
    async function* broken() {
      yield* chunks('hel')
      throw new Error('the store has ended')
    }
    await expect(scan(address, broken())).rejects.toMatchObject({
      message: 'The file could not be read',
      cause: { message: 'the store has ended' },
    })
  })

  test('if the signal aborts while the daemon is silent', async () => {
    const stopping = new AbortController()
    const address = await listen((socket) => socket.once('data', () => stopping.abort()).resume())
    await expect(scan(address, chunks('hello'), stopping.signal)).rejects.toThrow('aborted')
  })
})
