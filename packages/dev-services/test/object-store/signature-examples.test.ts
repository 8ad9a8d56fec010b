import { expect, test } from 'vitest'
import { codeOf, openStore, send } from './harness.ts'

/*
 * These requests and signatures are published by AWS. Their host name contains the bucket, so this store reads the path
 * as a bucket. It verifies the signature and then returns NotImplemented.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
const host = 'examplebucket.s3.amazonaws.com'
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const published = {
  credentials: [
    { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  ],
  clock: () => new Date('2013-05-24T00:10:00Z'),
}

const getObject = {
  path: '/test.txt',
  headers: {
    host,
    range: 'bytes=0-9',
    'x-amz-content-sha256': emptySha256,
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
}

const presignedGet = {
  path:
    '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
    '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
    '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
    '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  headers: { host },
}

test.each([
  ['Authorization header', getObject],
  ['query', presignedGet],
])('the store accepts a published signature in the %s', async (_place, { path, headers }) => {
  const { store } = await openStore(published)
  expect(codeOf(await send(store.url, { path, headers }))).toBe('NotImplemented')
})

test.each([
  ['Authorization header', { ...getObject, headers: { ...getObject.headers, range: 'bytes=0-10' } }],
  ['query', { ...presignedGet, path: presignedGet.path.replace('86400', '86401') }],
])('a changed request with a signature in the %s is rejected', async (_place, { path, headers }) => {
  const { store } = await openStore(published)
  expect(codeOf(await send(store.url, { path, headers }))).toBe('SignatureDoesNotMatch')
})
