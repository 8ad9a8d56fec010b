/** Someone who can sign in at the development provider, under the name that is the key of `users`. */
export interface IdentityUser {
  readonly password: string
  readonly email: string
  readonly displayName: string
  /** What the claim `roles` of this user's tokens says. */
  readonly roles: readonly string[]
}

/** What tokens and ID tokens say about a user. */
export interface UserClaims {
  readonly sub: string
  readonly email: string
  readonly name: string
  readonly roles: readonly string[]
}

/** The users of one provider, asked by name. */
export interface Accounts {
  claims(username: string): UserClaims | undefined
  isPassword(username: string, password: string): boolean
}

/** Reads `users` as it is at the time of asking, so a caller may add and change users while the provider runs. */
export function createAccounts(users: Readonly<Record<string, IdentityUser>>): Accounts {
  // A name such as "constructor" is no user, although every object answers to it.
  const find = (username: string) => (Object.hasOwn(users, username) ? users[username] : undefined)
  return {
    claims(username) {
      const user = find(username)
      return user && { sub: username, email: user.email, name: user.displayName, roles: user.roles }
    },
    isPassword: (username, password) => find(username)?.password === password,
  }
}
