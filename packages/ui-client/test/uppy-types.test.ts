import AwsS3 from '@uppy/aws-s3'
import Uppy from '@uppy/core'
import { expect, test } from 'vitest'
import { createClient } from '../src/index.ts'
import { completeUppyUploads, uppyAwsS3Options } from '../src/uppy/index.ts'

/** Checked by the compiler as well: the options are those of the Uppy that is installed. */
test('an Uppy takes the options, and waits for what the service says of each file', () => {
  const client = createClient({ accessToken: () => null })
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id: crypto.randomUUID() } as const
  const uppy = new Uppy().use(AwsS3, uppyAwsS3Options(client, target))
  completeUppyUploads(uppy, client)
  expect(uppy.getPlugin('AwsS3')).toBeDefined()
})
