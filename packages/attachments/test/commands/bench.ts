import type { AttachmentsConfig } from '@vertical-kit/attachments'
import type { Attachment } from '@vertical-kit/attachments/contract'
import { newId } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { sql } from 'drizzle-orm/sql'
import { pooled } from '../../../../vitest.pooled-database.ts'
import { reserveUpload } from '../../src/commands/reserve-upload.ts'
import { hello, newTarget, openDatabase, readTestConfig } from '../harness.ts'

/** Allows every caller. The tests of the routes cover permissions. */
export const authorizeAnyone: Authorize<unknown> = async () => {}

/** A migrated database for tests that call single commands without HTTP. */
export interface Bench {
  readonly url: string
  readonly database: Database
  readonly config: AttachmentsConfig
  readonly actor: Actor
  reserve(
    declared?: Partial<typeof hello> & { readonly target?: BusinessObjectReference },
  ): Promise<Attachment>
  close(): Promise<void>
}

export async function openBench(environment: Readonly<Record<string, string>> = {}): Promise<Bench> {
  const fresh = await openDatabase()
  const database = createDatabase({ ...databaseDefaults, ...pooled(fresh.url) })
  const config = readTestConfig({ store: null, environment })
  const actor: Actor = { userId: newId(), displayName: 'Clara Clerk', correlationId: 'request-1' }
  await database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.users (id, subject, display_name)
      values (${actor.userId}::uuid, 'clara', ${actor.displayName})`),
  )
  return {
    url: fresh.url,
    database,
    config,
    actor,
    reserve: (declared = {}) =>
      database.transaction((tx) =>
        reserveUpload(tx, config, { id: newId(), target: newTarget(), ...hello, ...declared, actor }),
      ),
    async close() {
      await database.close()
      await fresh.drop()
    },
  }
}
