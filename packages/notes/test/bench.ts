import { isKitError, newId } from '@vertical-kit/core-audit'
import type { Actor } from '@vertical-kit/core-audit/access'
import type { BusinessObjectReference } from '@vertical-kit/core-audit/contract'
import { createDatabase, type Database, databaseDefaults } from '@vertical-kit/core-audit/database'
import type { Authorize } from '@vertical-kit/core-audit/objects'
import { addNote, type NotesConfig } from '@vertical-kit/notes'
import type { Note } from '@vertical-kit/notes/contract'
import { sql } from 'drizzle-orm/sql'
import { openDatabase } from './harness.ts'
import { newReference } from './parents.ts'

/** A database with two users, for tests of commands and queries. */
export interface Bench {
  readonly url: string
  readonly database: Database
  readonly config: NotesConfig
  readonly clara: Actor
  readonly carl: Actor
  close(): Promise<void>
}

export async function openBench(config: NotesConfig = { maxTextChars: 100 }): Promise<Bench> {
  const fresh = await openDatabase()
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  const [clara, carl] = await Promise.all([addUser(database, 'Clara Clerk'), addUser(database, 'Carl Clerk')])
  return {
    url: fresh.url,
    database,
    config,
    clara,
    carl,
    async close() {
      await database.close()
      await fresh.drop()
    },
  }
}

/** Adds a user and returns the user as an actor with a separate correlation id. */
export async function addUser(database: Database, displayName: string): Promise<Actor> {
  const userId = newId()
  await database.statement((tx) =>
    tx.execute(sql`
      insert into core_audit.users (id, subject, display_name)
      values (${userId}::uuid, ${userId}, ${displayName})`),
  )
  return { userId, displayName, correlationId: `request-of-${displayName}` }
}

/** Returns the input for a change without access checks. The tests of the routes cover access. */
export function trusting(actor: Actor): { readonly actor: Actor; readonly authorize: Authorize } {
  return { actor, authorize: async () => {} }
}

/** Adds a note by Clara. The default target is a new object. */
export async function addOne(
  bench: Bench,
  { text = 'Call back', target = newReference() }: { text?: string; target?: BusinessObjectReference } = {},
): Promise<Note> {
  const { database, config, clara } = bench
  return database.statement((tx) => addNote(tx, config, { id: newId(), target, text, actor: clara }))
}

/** Returns the code and context of a refusal. Throws if the promise resolves or rejects with a different error. */
export async function refusalBy(promise: Promise<unknown>): Promise<{ code: string; context?: object }> {
  const outcome: unknown = await promise.catch((error: unknown) => error)
  if (!isKitError(outcome))
    throw new Error('The promise resolved, or its error is not a refusal', { cause: outcome })
  const { code, context } = outcome
  return { code, ...(context === undefined ? {} : { context }) }
}
