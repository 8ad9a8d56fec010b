import { randomUUID } from 'node:crypto'
import { attachmentsMigrations } from '@vertical-kit/attachments'
import { coreMigrations } from '@vertical-kit/core-audit/database'
import { migrationTemplate } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { documentActionsMigrations } from '@vertical-kit/document-actions'
import { workCenterMigrations } from '@vertical-kit/work-center'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startExample } from '../../vitest.readme-example.ts'

const packs = [coreMigrations, attachmentsMigrations, documentActionsMigrations, workCenterMigrations]

async function openDatabase() {
  const template = await migrationTemplate('background_host', packs)
  const fresh = await freshDatabase(inject('postgresUrl'), { template })
  onTestFinished(() => fresh.drop())
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  onTestFinished(() => client.end())
  return { url: fresh.url, client }
}

test('a background host expires old uploads and exits with code 0 when it is stopped', async () => {
  const { url, client } = await openDatabase()
  const upload = randomUUID()
  await client.query(
    `insert into attachments.attachments (
       id, target_kind, target_type_code, target_id, file_name, content_type, size_bytes, created_by_user_id, created_at
     )
     values ($1, 'Document', 'shop.order', $1, 'a.txt', 'text/plain', 1, $1, now() - interval '2 days')`,
    [upload],
  )

  const { stop } = await startExample(new URL('../background-host.ts', import.meta.url), {
    DATABASE_URL: url,
  })
  const status = async () =>
    (await client.query('select status from attachments.attachments where id = $1', [upload])).rows
  await expect.poll(status).toEqual([{ status: 'deleted' }])
  const events = await client.query('select action_code from core_audit.audit_events')
  expect(events.rows).toEqual([{ action_code: 'attachments.upload_expired' }])
  expect(await stop()).toEqual([0, null])
})
