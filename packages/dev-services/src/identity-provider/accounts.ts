/** A user of the development provider. The key in `users` is the sign-in name. */
export interface IdentityUser {
  readonly password: string
  readonly email: string
  readonly displayName: string
  /** The claim `roles` of this user's tokens. */
  readonly roles: readonly string[]
}

/** The user claims of access tokens and ID tokens. */
export interface UserClaims {
  readonly sub: string
  readonly email: string
  readonly name: string
  readonly roles: readonly string[]
}

/** The users of one provider, by name. */
export interface Accounts {
  claims(username: string): UserClaims | undefined
  isPassword(username: string, password: string): boolean
}

/** Reads `users` on every call, so callers can add and change users while the provider runs. */
export function createAccounts(users: Readonly<Record<string, IdentityUser>>): Accounts {
  // Check own properties only: every object inherits properties such as "constructor".
  const find = (username: string) => (Object.hasOwn(users, username) ? users[username] : undefined)
  return {
    claims(username) {
      const user = find(username)
      return user && { sub: username, email: user.email, name: user.displayName, roles: user.roles }
    },
    isPassword: (username, password) => find(username)?.password === password,
  }
}
