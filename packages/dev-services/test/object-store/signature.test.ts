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

test('a request signed by a known key is answered', async () => {
  const { Body } = await clientOf(store).send(getA())
  expect(await Body?.transformToString()).toBe('first')
})

test.each(['GET', 'PUT', 'HEAD', 'POST', 'DELETE'])('an anonymous %s is refused', async (method) => {
  const answer = await send(`${store.url}/${bucket}/a`, { method })
  expect(answer.status).toBe(403)
  if (method !== 'HEAD') expect(codeOf(answer)).toBe('AccessDenied')
})

test('a wrong secret is refused', async () => {
  const client = clientOf(store, { credentials: { ...credentials, secretAccessKey: 'guess' } })
  expect(await refusalOf(client.send(getA()))).toBe('SignatureDoesNotMatch')
})

test('an unknown access key is refused', async () => {
  const client = clientOf(store, { credentials: { ...credentials, accessKeyId: 'nobody' } })
  expect(await refusalOf(client.send(getA()))).toBe('InvalidAccessKeyId')
})

test('a signature for another region is refused', async () => {
  const client = clientOf(store, { region: 'eu-central-1' })
  expect(await refusalOf(client.send(getA()))).toBe('AuthorizationHeaderMalformed')
})

test('a signature for one object does not open another', async () => {
  const swapKey = (request: SignedRequest) => {
    request.path = `/${bucket}/b`
  }
  expect(await refusalAfter(swapKey)).toBe('SignatureDoesNotMatch')
})

test('a signature for one method does not serve another', async () => {
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
])('a query parameter %s after signing is refused', async (_change, parameters) => {
  expect(await refusalAfter(({ query }) => Object.assign(query, parameters))).toBe('SignatureDoesNotMatch')
})

test('a query parameter given twice is refused', async () => {
  const answer = await send(`${store.url}/${bucket}?list-type=2&prefix=a&prefix=b`)
  expect([answer.status, codeOf(answer)]).toEqual([400, 'InvalidArgument'])
})

test('a signed header changed on the way is refused', async () => {
  const client = tamperingClientOf(store, ({ headers }) => {
    headers['content-type'] = 'text/html'
  })
  const put = new PutObjectCommand({ Bucket: bucket, Key: 'c', Body: 'x', ContentType: 'text/plain' })
  expect(await refusalOf(client.send(put))).toBe('SignatureDoesNotMatch')
})

test('a signed header lost on the way is refused', async () => {
  const client = tamperingClientOf(store, ({ headers }) => {
    delete headers['content-type']
  })
  const put = new PutObjectCommand({ Bucket: bucket, Key: 'c', Body: 'x', ContentType: 'text/plain' })
  expect(await refusalOf(client.send(put))).toBe('SignatureDoesNotMatch')
})

test('an x-amz header that is not signed is refused', async () => {
  const inject = ({ headers }: SignedRequest) => {
    headers['x-amz-meta-injected'] = 'yes'
  }
  expect(await refusalAfter(inject)).toBe('AccessDenied')
})

test('a signature that leaves the host out is refused', async () => {
  const dropHost = ({ headers }: SignedRequest) => {
    headers['authorization'] = headers['authorization']?.replace('host;', '') ?? ''
  }
  expect(await refusalAfter(dropHost)).toBe('AccessDenied')
})

test('a request without a payload hash is refused', async () => {
  const dropHash = ({ headers }: SignedRequest) => {
    delete headers['x-amz-content-sha256']
    headers['authorization'] = headers['authorization']?.replace('x-amz-content-sha256;', '') ?? ''
  }
  expect(await refusalAfter(dropHash)).toBe('InvalidRequest')
})

test.each([
  ['late', -16],
  ['early', 16],
])('a request %s by more than a quarter of an hour is refused', async (_direction, minutes) => {
  const client = clientOf(store, { systemClockOffset: minutes * 60_000 })
  expect(await refusalOf(client.send(getA()))).toBe('RequestTimeTooSkewed')
})

test.each([-14, 14])('a clock %i minutes off is tolerated', async (minutes) => {
  const client = clientOf(store, { systemClockOffset: minutes * 60_000 })
  expect((await client.send(getA())).ContentLength).toBe(5)
})

test.each([
  ['Bearer abc', 'InvalidRequest'],
  ['AWS test-key:c2lnbmF0dXJl', 'InvalidRequest'],
  ['AWS4-HMAC-SHA256 nonsense', 'AuthorizationHeaderMalformed'],
  ['AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c', 'AuthorizationHeaderMalformed'],
])('the authorization %j is refused with %s', async (authorization, code) => {
  expect(codeOf(await send(`${store.url}/${bucket}/a`, { headers: { authorization } }))).toBe(code)
})

test.each(['yesterday', '20261399T000000Z', '20260230T000000Z'])(
  'a signature dated %j is refused',
  async (date) => {
    const redate = ({ headers }: SignedRequest) => {
      headers['x-amz-date'] = date
    }
    expect(await refusalAfter(redate)).toBe('AccessDenied')
  },
)
