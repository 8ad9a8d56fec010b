import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { withPort } from '../src/ports.ts'

async function occupy(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const failedWith = (cause: unknown) => new Error('The host did not start', { cause })

test('if another process takes the free port before the host listens, the host starts on another one', async () => {
  const tried: number[] = []
  const port = await withPort('127.0.0.1', 0, async (free) => {
    tried.push(free)
    if (tried.length < 3) await occupy(free)
    return occupy(free).catch((error: unknown) => Promise.reject(failedWith(error)))
  })
  expect(tried).toHaveLength(3)
  expect(new Set(tried).size).toBe(3)
  expect(port).toBe(tried[2])
})

test('a port that the user has chosen, and another port that is in use, are not replaced', async () => {
  const taken = await occupy(0)
  const start = () => occupy(taken)
  await expect(withPort('127.0.0.1', 0, start)).rejects.toMatchObject({ code: 'EADDRINUSE', port: taken })
  await expect(withPort('127.0.0.1', taken, start)).rejects.toThrow(`PORT: port ${taken} is taken.`)
})
