import { readFile } from 'node:fs/promises'
import { DeleteObjectCommand, DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOptionalPrograms } from '../../../vitest.optional-programs.ts'
import { storeChecks } from '../src/storage/store-checks.ts'
import { type BucketSetUp, type Ceph, startCeph } from './ceph/ceph.ts'
import { bucket } from './harness.ts'
import { describeStorage } from './storage.suite.ts'

const { missing, isRequired, advice } = findOptionalPrograms().ceph

/** Reads the bucket settings from the README and inserts the user `app` into the policy. */
async function readmeSetUp(): Promise<BucketSetUp> {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const [policy = '', lifecycle = '', cors = ''] = [...readme.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, block]) => block,
  )
  return {
    bucket,
    policy: policy.replaceAll('arn:aws:iam::<ACCOUNT>:user/<APPLICATION>', 'arn:aws:iam:::user/app'),
    lifecycle: JSON.parse(lifecycle),
    cors: JSON.parse(cors),
  }
}

if (missing.length === 0) {
  let ceph: Ceph
  beforeAll(async () => {
    ceph = await startCeph(await readmeSetUp())
  }, 300_000)
  afterAll(() => ceph.close())

  describeStorage({
    name: "Ceph's RADOS Gateway with the settings of the README",
    honoursCopyConditions: false,
    verifiesHashes: false,
    open: async () => ({ ...ceph, close: async () => {} }),
  })

  describe('the bucket settings of the README', () => {
    /** Runs the named checks of `doctor` with the keys of this user. The policy does not restrict the owner of the bucket. */
    async function examine(user: 'app' | 'owner', names: readonly string[]) {
      const checks = storeChecks({
        config: {
          ...{ internalEndpoint: ceph.url, publicEndpoint: ceph.url, region: 'us-east-1', bucket },
          ...{ accessKey: `${user}-key`, secretKey: `${user}-secret`, requestTimeoutMs: 20_000 },
        },
        ...{ uploadLifetimeMs: 600_000, downloadLifetimeMs: 180_000, now: Date.now, signingNow: Date.now },
        findNewestFile: async () => null,
      })
      const signal = AbortSignal.timeout(20_000)
      const context = { origins: [], token: undefined, replicaCount: 1, now: Date.now, signal }
      const found = checks.filter(({ name }) => names.includes(name))
      return Promise.all(found.map(async ({ name, run }) => [name, (await run(context)).status]))
    }

    test('prevent that a signed upload URL copies another object, which the gateway would do without them', async () => {
      // No policy of this gateway prevents that an upload becomes public.
      expect(await examine('app', ['store.unsigned_headers'])).toEqual([
        ['store.unsigned_headers', 'warning'],
      ])
      expect(await examine('owner', ['store.unsigned_headers'])).toEqual([
        ['store.unsigned_headers', 'failed'],
      ])
    })

    test('allow the application to upload in parts', async () => {
      expect(await examine('app', ['store.parts'])).toEqual([['store.parts', 'ok']])
    })

    test.each([
      ['one object', new DeleteObjectCommand({ Bucket: bucket, Key: 'attachments/x' })],
      [
        'many objects',
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: [{ Key: 'uploads/x' }] } }),
      ],
    ] as const)('do not allow the application to delete %s', async (_count, command) => {
      const { url: endpoint, ...credentials } = ceph
      const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true })
      const answer: unknown = await client
        .send(command as DeleteObjectCommand)
        .catch((error: unknown) => error)
      client.destroy()
      expect(answer).toSatisfy(
        (given: { name?: string; Errors?: { Code: string }[] }) =>
          (given.Errors?.[0]?.Code ?? given.name) === 'AccessDenied',
      )
    })

    test.each([
      ['https://app.example.com', 'PUT', 'https://app.example.com'],
      ['https://evil.example.com', 'PUT', null],
      ['https://app.example.com', 'DELETE', null],
    ])(
      'answer a preflight request from %s for %s with the allowed origin %s',
      async (origin, method, allowed) => {
        const response = await fetch(`${ceph.url}/${bucket}/uploads/x`, {
          method: 'OPTIONS',
          headers: {
            Origin: origin,
            'Access-Control-Request-Method': method,
            'Access-Control-Request-Headers': 'content-type',
          },
        })
        expect(response.headers.get('access-control-allow-origin')).toBe(allowed)
      },
    )
  })
} else {
  const reason = `Not tested on Ceph's RADOS Gateway: ${missing.join(', ')} not installed (${advice})`
  test('Ceph is installed if VK_TEST_REQUIRE names it', (context) => {
    expect(isRequired, reason).toBe(false)
    context.skip(reason)
  })
}
