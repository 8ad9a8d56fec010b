import type { Database, Db } from '@vertical-kit/core-audit/database'
import type { ConnectedUser, Subscribers } from './subscribers.ts'

/** The current state of an account. */
export interface Account {
  readonly subject: string
  readonly userId: string
  readonly isActive: boolean
}

/** Returns the accounts of these subjects in one statement. Subjects without a user record are missing from the result. */
export type AccountsOf = (db: Db, subjects: readonly string[]) => Promise<readonly Account[]>

export interface AccountCheckOptions {
  readonly database: Database
  readonly accountsOf: AccountsOf
  readonly subscribers: Subscribers
  /** Called when a connected user first has a user record. Earlier announcements could not be matched to this user. */
  readonly onRecognised: (user: ConnectedUser) => void
}

/**
 * Creates the check of connected users. It closes the connections of deactivated accounts, and recognises users with a
 * user record that was created after they connected. It queries the database, so it works on every replica even if the
 * backplane has lost announcements.
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
