import type { Database, Tx } from '../database/database.ts'
import type { Actor } from './actor.ts'
import type { Caller } from './caller.ts'

/** The caller of a request, as the author of its changes: `c.var` in a handler. */
export interface ChangeAuthor {
  readonly caller: Pick<Caller, 'userId'>
  actor(tx?: Tx): Promise<Actor>
}

/**
 * Runs a change of the caller in one transaction. The user record of a new user is part of the transaction, so that a refused
 * change creates no record. A new name or address of a known user is stored before the transaction, which therefore does not
 * lock the record: two users who change each other cannot deadlock.
 * @throws {CoreError} auth.inactive · service.unavailable, and the errors of `work`
 */
export async function changeAs<T>(
  database: Pick<Database, 'transaction'>,
  author: ChangeAuthor,
  work: (tx: Tx, actor: Actor) => Promise<T>,
): Promise<T> {
  const known = author.caller.userId === null ? undefined : await author.actor()
  return database.transaction(async (tx) => work(tx, known ?? (await author.actor(tx))))
}
