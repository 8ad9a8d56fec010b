import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { ConnectedUser, Subscribers } from './subscribers.ts'

/** An account, as it is now. */
export interface Account {
  readonly subject: string
  readonly userId: string
  readonly isActive: boolean
}

/** The accounts of these subjects, in one statement; of whom there is no record, none. */
export type AccountsOf = (db: Db, subjects: readonly string[]) => Promise<readonly Account[]>

export interface AccountCheckOptions {
  readonly database: Database
  readonly accountsOf: AccountsOf
  readonly subscribers: Subscribers
  /** A record of this user was found: what was announced until now was not known to be theirs. */
  readonly onRecognised: (user: ConnectedUser) => void
}

/**
 * Ends the connections of accounts that were deactivated since they were opened, and recognises users of whom a record
 * was made since. It asks the database, so it holds on every replica, whatever the backplane has lost.
 */
export function createAccountCheck(options: AccountCheckOptions): () => Promise<void> {
  const { database, accountsOf, subscribers, onRecognised } = options
  return async () => {
    const subjects = subscribers.users.map(({ subject }) => subject)
    if (subjects.length === 0) return
    for (const account of await database.read((db) => accountsOf(db, subjects))) {
      const user = subscribers.withSubject(account.subject)
      if (user === undefined) continue
      if (user.userId === null) {
        subscribers.recognise(user, account.userId)
        onRecognised(user)
      }
      if (!account.isActive) for (const connection of user.connections) connection.end('inactive')
    }
  }
}
