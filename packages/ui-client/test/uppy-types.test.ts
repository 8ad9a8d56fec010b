import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'
import { expect, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { completeUppyUploads, uppyAwsS3Options } from '../src/uppy/index.ts'

/** The compiler also checks that the options match the installed version of Uppy. */
test('Uppy accepts the options and the post-processor', () => {
  const client = createClient({ accessToken: () => null })
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: crypto.randomUUID() } as const
  const uppy = new Uppy().use(AwsS3, uppyAwsS3Options(client, target))
  completeUppyUploads(uppy, client)
  expect(uppy.getPlugin('AwsS3')).toBeDefined()
})
