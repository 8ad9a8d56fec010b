import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { StoredDocument } from '@vertical-kit/document-actions'
import { pooled } from '../../../vitest.pooled-database.ts'
import { openDatabase } from './harness.ts'
import { addDocument } from './shop.ts'

/** A migrated database for tests of stores, commands and constraints. */
export interface Bench {
  readonly database: Database
  readonly databaseUrl: string
  /** Creates a draft. */
  addDocument(typeCode?: string, fields?: Readonly<Record<string, unknown>>): Promise<StoredDocument>
  close(): Promise<void>
}

export async function openBench(): Promise<Bench> {
  const fresh = await openDatabase()
  const database = createDatabase({ ...databaseDefaults, ...pooled(fresh.url) })
  return {
    database,
    databaseUrl: fresh.url,
    addDocument: (typeCode, fields) => database.statement((tx) => addDocument(tx, typeCode, fields)),
    async close() {
      await database.close()
      await fresh.drop()
    },
  }
}

/** Returns the error of a rejected promise, or `'kept'` if it resolves. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'kept',
    (error: unknown) => error,
  )
