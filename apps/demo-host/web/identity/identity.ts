import { atom, type ReadableAtom } from 'nanostores'
import { ErrorResponse, OidcClient, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import { signedInPath } from '../../src/page/signed-in-path.ts'

/** The signed-in user, according to the identity provider. */
export interface SignedInUser {
  readonly subject: string
  readonly displayName: string
  readonly email: string
}

/** Signs users in to this browser and out of it, and provides their access tokens. */
export interface Identity {
  /** The signed-in user of this browser. Sign-ins and sign-outs in other tabs also change this value. */
  readonly $user: ReadableAtom<SignedInUser | null>
  /** The message for the user after a sign-in failed or the session ended, or null. */
  readonly $notice: ReadableAtom<string | null>
  /**
   * Redirects to the identity provider, which asks for the password even if the user already has a session. If the provider
   * cannot be reached, sets a notice.
   */
  signIn(options: { readonly name?: string; readonly returnTo: string }): Promise<void>
  /** Completes the sign-in after the redirect. Resolves with the path at which the user started the sign-in. */
  completeSignIn(): Promise<string>
  /** Deletes the tokens and revokes the refresh token. */
  signOut(): Promise<void>
  /**
   * Returns this user's access token. With `refresh`, returns a new token. Returns null if the user is no longer signed in,
   * for example because another user has just signed in in another tab.
   */
  accessToken(subject: string, ask: { readonly refresh: boolean }): Promise<string | null>
}

const ended = 'Your session has ended. Sign in again.'

/** Tokens are renewed this long before they expire, so that the service never receives an expired token. */
const renewalMarginSeconds = 5

/**
 * Creates the identity: OpenID Connect with authorization code and PKCE. All tabs share the tokens in local storage,
 * because each refresh token can be used only once. Tabs with separate copies would end each other's sessions.
 */
export async function createIdentity(issuer: string, clientId: string): Promise<Identity> {
  const settings = {
    authority: issuer,
    client_id: clientId,
    redirect_uri: location.origin + signedInPath,
    scope: 'openid profile email offline_access',
    userStore: new WebStorageStateStore({ store: localStorage }),
    // Tokens are renewed only when they are needed, so that an idle page sends no requests.
    automaticSilentRenew: false,
  }
  const manager = new UserManager(settings)
  const $user = atom<SignedInUser | null>(toUser(await manager.getUser()))
  const $notice = atom<string | null>(null)
  const show = (user: User | null) => {
    // A renewed token of the current user does not change the user.
    if ($user.get()?.subject === user?.profile.sub) return
    // Another tab has noticed the end of the session, or the user has signed out there.
    if (user === null) $notice.set(ended)
    $user.set(toUser(user))
  }
  addEventListener('storage', () => void manager.getUser().then(show))

  const end = async (notice: string | null) => {
    await manager.removeUser()
    $notice.set(notice)
    $user.set(null)
  }

  const revoke = async (refreshToken: string | undefined) => {
    if (refreshToken === undefined) return
    await new OidcClient(settings).revokeToken(refreshToken, 'refresh_token').catch(() => {})
  }

  /** Runs one task at a time in all tabs, so that a late answer to one never replaces the tokens of another. */
  const alone = <T>(task: () => Promise<T>): Promise<T> => navigator.locks.request('identity', task)

  /** Renews the token. Waiting calls use the new token. */
  const renew = (refused: User): Promise<string | null> =>
    alone(async () => {
      const current = await manager.getUser()
      if (current?.profile.sub !== refused.profile.sub) return null
      if (current.access_token !== refused.access_token) return current.access_token
      try {
        const renewed = await manager.signinSilent()
        if ($user.get()?.subject === current.profile.sub) return renewed?.access_token ?? null
        // The user has signed out, and the answer came later: its tokens are stored again.
        if ((await manager.getUser())?.profile.sub === current.profile.sub) await manager.removeUser()
        await revoke(renewed?.refresh_token)
        return null
      } catch (error) {
        // The user has signed out, which can have ended this session first.
        if ($user.get()?.subject !== current.profile.sub) return null
        // If the provider does not respond, return the current token. The service decides whether to accept it.
        if (!(error instanceof ErrorResponse)) return current.access_token
        await end(ended)
        return null
      }
    })

  return {
    $user,
    $notice,
    async signIn({ name, returnTo }) {
      $notice.set(null)
      try {
        await manager.signinRedirect({
          prompt: 'login',
          state: { returnTo },
          ...(name === undefined ? {} : { login_hint: name }),
        })
      } catch {
        $notice.set('The sign-in service cannot be reached. Try again in a moment.')
      }
    },
    async completeSignIn() {
      try {
        const user = await alone(() => manager.signinRedirectCallback())
        show(user)
        return pathWithin(user.state)
      } catch {
        // The sign-in fails if the redirect URL was bookmarked, the response is outdated, or the provider refused it.
        if ($user.get() === null) $notice.set('Sign-in was not completed. Try again.')
        return '/'
      }
    },
    async signOut() {
      const refreshToken = (await manager.getUser())?.refresh_token
      await end(null)
      // Revoke the token last, so that this browser is signed out even if the provider is unavailable.
      await revoke(refreshToken)
    },
    async accessToken(subject, { refresh }) {
      const user = await manager.getUser()
      if (user?.profile.sub !== subject) return null
      const isFresh = (user.expires_in ?? 0) > renewalMarginSeconds
      return isFresh && !refresh ? user.access_token : renew(user)
    },
  }
}

function toUser(user: User | null): SignedInUser | null {
  if (user === null) return null
  const { sub: subject, name, email } = user.profile
  return { subject, displayName: name ?? subject, email: email ?? '' }
}

/** Returns the path at which the user started the sign-in. Ignores URLs of other origins. */
function pathWithin(state: unknown): string {
  const requested =
    typeof state === 'object' && state !== null && 'returnTo' in state ? state.returnTo : undefined
  const url = typeof requested === 'string' ? URL.parse(requested, location.origin) : null
  return url?.origin === location.origin ? url.pathname + url.search : '/'
}
