import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, expect, test } from 'vitest'
import type { ObjectStore } from '../../src/object-store/object-store.ts'
import {
  bucket,
  clientOf,
  codeOf,
  credentials,
  openStore,
  refusalOf,
  type SignedRequest,
  send,
  tamperingClientOf,
} from './harness.ts'

let store: ObjectStore

beforeEach(async () => {
  const opened = await openStore()
  store = opened.store
  await opened.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: 'first' }))
  await opened.client.send(new PutObjectCommand({ Bucket: bucket, Key: 'b', Body: 'second' }))
})

const getA = () => new GetObjectCommand({ Bucket: bucket, Key: 'a', ResponseContentType: 'text/plain' })

function refusalAfter(tamper: (request: SignedRequest) => void) {
  return refusalOf(tamperingClientOf(store, tamper).send(getA()))
}

test('the store accepts a request signed by a known key', async () => {
  const { Body } = await clientOf(store).send(getA())
  expect(await Body?.transformToString()).toBe('first')
})

test.each(['GET', 'PUT', 'HEAD', 'POST', 'DELETE'])('the store rejects an anonymous %s', async (method) => {
  const answer = await send(`${store.url}/${bucket}/a`, { method })
  expect(answer.status).toBe(403)
  if (method !== 'HEAD') expect(codeOf(answer)).toBe('AccessDenied')
})

test('the store rejects a signature with a wrong secret', async () => {
  const client = clientOf(store, { credentials: { ...credentials, secretAccessKey: 'guess' } })
  expect(await refusalOf(client.send(getA()))).toBe('SignatureDoesNotMatch')
})

test('the store rejects an unknown access key', async () => {
  const client = clientOf(store, { credentials: { ...credentials, accessKeyId: 'nobody' } })
  expect(await refusalOf(client.send(getA()))).toBe('InvalidAccessKeyId')
})

test('the store rejects a signature for another region', async () => {
  const client = clientOf(store, { region: 'eu-central-1' })
  expect(await refusalOf(client.send(getA()))).toBe('AuthorizationHeaderMalformed')
})

test('the store rejects a signature for another object', async () => {
  const swapKey = (request: SignedRequest) => {
    request.path = `/${bucket}/b`
  }
  expect(await refusalAfter(swapKey)).toBe('SignatureDoesNotMatch')
})

test('the store rejects a signature for another method', async () => {
  const client = tamperingClientOf(store, (request) => {
    request.method = 'GET'
  })
  expect(await refusalOf(client.send(new HeadObjectCommand({ Bucket: bucket, Key: 'a' })))).toBe(
    'SignatureDoesNotMatch',
  )
})

test.each([
  ['changed', { 'response-content-type': 'text/html' }],
  ['added', { 'response-cache-control': 'public' }],
])('the store rejects a query parameter %s after signing', async (_change, parameters) => {
  expect(await refusalAfter(({ query }) => Object.assign(query, parameters))).toBe('SignatureDoesNotMatch')
})

test('the store rejects a duplicate query parameter', async () => {
  const answer = await send(`${store.url}/${bucket}?list-type=2&prefix=a&prefix=b`)
  expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidArgument'])
})

test('the store rejects a request with a changed signed header', async () => {
  const client = tamperingClientOf(store, ({ headers }) => {
    headers['content-type'] = 'text/html'
  })
  const put = new PutObjectCommand({ Bucket: bucket, Key: 'c', Body: 'x', ContentType: 'text/plain' })
  expect(await refusalOf(client.send(put))).toBe('SignatureDoesNotMatch')
})

test('the store rejects a request without one of its signed headers', async () => {
  const client = tamperingClientOf(store, ({ headers }) => {
    delete headers['content-type']
  })
  const put = new PutObjectCommand({ Bucket: bucket, Key: 'c', Body: 'x', ContentType: 'text/plain' })
  expect(await refusalOf(client.send(put))).toBe('SignatureDoesNotMatch')
})

test('the store rejects an unsigned x-amz header', async () => {
  const inject = ({ headers }: SignedRequest) => {
    headers['x-amz-meta-injected'] = 'yes'
  }
  expect(await refusalAfter(inject)).toBe('AccessDenied')
})

test('the store rejects a signature that does not cover the host', async () => {
  const dropHost = ({ headers }: SignedRequest) => {
    headers['authorization'] = headers['authorization']?.replace('host;', '') ?? ''
  }
  expect(await refusalAfter(dropHost)).toBe('AccessDenied')
})

test('the store rejects a request without a payload hash', async () => {
  const dropHash = ({ headers }: SignedRequest) => {
    delete headers['x-amz-content-sha256']
    headers['authorization'] = headers['authorization']?.replace('x-amz-content-sha256;', '') ?? ''
  }
  expect(await refusalAfter(dropHash)).toBe('InvalidRequest')
})

test.each([
  ['late', -16],
  ['early', 16],
])('the store rejects a request that is more than 15 minutes %s', async (_direction, minutes) => {
  const client = clientOf(store, { systemClockOffset: minutes * 60_000 })
  expect(await refusalOf(client.send(getA()))).toBe('RequestTimeTooSkewed')
})

test.each([-14, 14])('the store tolerates a clock difference of %i minutes', async (minutes) => {
  const client = clientOf(store, { systemClockOffset: minutes * 60_000 })
  expect((await client.send(getA())).ContentLength).toBe(5)
})

test.each([
  ['Bearer abc', 'InvalidRequest'],
  ['AWS test-key:c2lnbmF0dXJl', 'InvalidRequest'],
  ['AWS4-HMAC-SHA256 nonsense', 'AuthorizationHeaderMalformed'],
  ['AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c', 'AuthorizationHeaderMalformed'],
])('the store rejects the authorization %j with the code %s', async (authorization, code) => {
  expect(codeOf(await send(`${store.url}/${bucket}/a`, { headers: { authorization } }))).toBe(code)
})

test.each(['yesterday', '20261399T000000Z', '20260230T000000Z'])(
  'the store rejects a signature dated %j',
  async (date) => {
    const redate = ({ headers }: SignedRequest) => {
      headers['x-amz-date'] = date
    }
    expect(await refusalAfter(redate)).toBe('AccessDenied')
  },
)
