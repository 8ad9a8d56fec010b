// A host in its own process, which a test kills or freezes. Start:
// `node --conditions=@vertical-kit/source completing-host.ts '<an Assignment as JSON>'`. It completes all uploads of the
// assignment concurrently, prints the status of each response, and ends.

import { attachmentsFeature, createAttachments } from '@vertical-kit/attachments'
import type { DatabaseConfig } from '@vertical-kit/core-audit/database'
import { createBusinessObjects } from '@vertical-kit/core-audit/objects'
import { openTestHost } from '@vertical-kit/core-audit/testing'
import { createFeatureFlags } from '@vertical-kit/feature-flags'
import type { AttachmentsConfig } from '../../src/config.ts'

export interface Assignment {
  readonly databaseUrl: string
  readonly database: Partial<DatabaseConfig>
  readonly config: AttachmentsConfig
  /** An existing user, and the type of the uploads' targets. */
  readonly subject: string
  readonly typeCode: string
  readonly uploadIds: readonly string[]
}

const { databaseUrl, database, config, subject, typeCode, uploadIds } = JSON.parse(
  process.argv[2] ?? '',
) as Assignment
const host = await openTestHost({
  databaseUrl,
  database,
  modules: (pool) => [
    createAttachments({
      database: pool,
      businessObjects: createBusinessObjects([
        { kind: 'Document', typeCodes: [typeCode], isReadable: async () => true },
      ]),
      features: createFeatureFlags({
        definitions: [attachmentsFeature],
        values: new Map([[attachmentsFeature.code, true]]),
      }),
      config,
    }),
  ],
})
const request = await host.as({ subject })
const statuses = await Promise.all(
  uploadIds.map(async (id) => (await request('POST', `/api/attachments/${id}/complete`)).status),
)
process.stdout.write(JSON.stringify(statuses))
await host.close()
