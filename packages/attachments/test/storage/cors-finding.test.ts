import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { StorageConfig } from '../../src/config.ts'
import { corsFinding } from '../../src/storage/cors-finding.ts'

const origin = 'https://app.example.com'

/** Returns the finding about a bucket with a CORS rule for these methods. */
async function findingOf(methods: readonly string[], headers = 'content-type, x-amz-checksum-sha256') {
  const server = createServer((request, response) => {
    const isAllowed = methods.includes(request.headers['access-control-request-method'] ?? '')
    response.writeHead(isAllowed ? 200 : 403, {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': headers,
    })
    response.end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const publicEndpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = { publicEndpoint, bucket: 'files' } as StorageConfig
  const context = {
    origins: [origin],
    signal: AbortSignal.timeout(10_000),
    token: undefined,
    replicaCount: 1,
  }
  return corsFinding(config, { ...context, now: Date.now })
}

test('a bucket must allow uploads, and its doctor warns if it does not allow downloads', async () => {
  expect(await findingOf(['GET', 'PUT'])).toMatchObject({ status: 'ok' })
  expect(await findingOf(['PUT'])).toMatchObject({
    status: 'warning',
    change: expect.stringContaining('GET'),
  })
  expect(await findingOf(['GET'])).toMatchObject({ status: 'failed', change: expect.stringContaining('PUT') })
})

test('the doctor warns if a bucket allows uploads only without a hash', async () => {
  expect(await findingOf(['GET', 'PUT'], 'content-type')).toMatchObject({
    status: 'warning',
    change: expect.stringContaining('x-amz-checksum-sha256'),
  })
})
