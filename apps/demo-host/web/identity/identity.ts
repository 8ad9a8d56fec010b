import { atom, type ReadableAtom } from 'nanostores'
import { ErrorResponse, OidcClient, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import { signedInPath } from '../../src/page/signed-in-path.ts'

/** Who is signed in, as the identity provider says. */
export interface SignedInUser {
  readonly subject: string
  readonly displayName: string
  readonly email: string
}

/** Signing in and out of this browser, and the tokens that come of it. */
export interface Identity {
  /** The user of this browser; another tab's signing in or out counts here too. */
  readonly $user: ReadableAtom<SignedInUser | null>
  /** Why nobody is signed in, when it was not wanted. */
  readonly $notice: ReadableAtom<string | null>
  /** Leaves the page for the identity provider's; it asks for a password whoever it knows already. */
  signIn(options: { readonly name?: string; readonly returnTo: string }): Promise<void>
  /** Comes back from there. Resolves with where the user wanted to be. */
  completeSignIn(): Promise<string>
  /** Gives the tokens back and forgets them. */
  signOut(): Promise<void>
  /**
   * This user's token for a request; with `refresh` not the one there was. Null when they are not signed in any more,
   * also while another tab has signed in somebody else and this one has yet to hear of it.
   */
  accessToken(subject: string, ask: { readonly refresh: boolean }): Promise<string | null>
}

/** A token this close to its end is renewed first: it has to last for the way to the service. */
const renewalMarginSeconds = 5

/**
 * OpenID Connect with code and PKCE. What it keeps is in local storage, one for all tabs: refresh tokens are good for one
 * use, and tabs with copies of one would end each other's session.
 */
export async function createIdentity(issuer: string, clientId: string): Promise<Identity> {
  const settings = {
    authority: issuer,
    client_id: clientId,
    redirect_uri: location.origin + signedInPath,
    scope: 'openid profile email offline_access',
    userStore: new WebStorageStateStore({ store: localStorage }),
    // Renewed when one is needed, so that a page nobody uses asks for nothing.
    automaticSilentRenew: false,
  }
  const manager = new UserManager(settings)
  const $user = atom<SignedInUser | null>(toUser(await manager.getUser()))
  const $notice = atom<string | null>(null)
  const show = (user: User | null) => {
    // A renewed token is no other user.
    if ($user.get()?.subject !== user?.profile.sub) $user.set(toUser(user))
  }
  addEventListener('storage', () => void manager.getUser().then(show))

  const end = async (notice: string | null) => {
    await manager.removeUser()
    $notice.set(notice)
    $user.set(null)
  }

  /** One renewal at a time, in all tabs: whoever waited finds the new token there. */
  const renew = (refused: User): Promise<string | null> =>
    navigator.locks.request('identity', async () => {
      const current = await manager.getUser()
      if (current?.profile.sub !== refused.profile.sub) return null
      if (current.access_token !== refused.access_token) return current.access_token
      try {
        return (await manager.signinSilent())?.access_token ?? null
      } catch (error) {
        // Without an answer nothing is known: the service has the last word on the token there is.
        if (!(error instanceof ErrorResponse)) return current.access_token
        await end('Your session has ended. Please sign in again.')
        return null
      }
    })

  return {
    $user,
    $notice,
    async signIn({ name, returnTo }) {
      $notice.set(null)
      await manager.signinRedirect({
        prompt: 'login',
        state: { returnTo },
        ...(name === undefined ? {} : { login_hint: name }),
      })
    },
    async completeSignIn() {
      try {
        const user = await manager.signinRedirectCallback()
        show(user)
        return pathWithin(user.state)
      } catch {
        // A bookmark of the way back, an answer that is too old, a refusal: none of them signs anybody in.
        if ($user.get() === null) $notice.set('Sign-in was not completed. Please try again.')
        return '/'
      }
    },
    async signOut() {
      const refreshToken = (await manager.getUser())?.refresh_token
      await end(null)
      // Last: the provider may be away, or never answer, and this browser is signed out all the same.
      if (refreshToken === undefined) return
      await new OidcClient(settings).revokeToken(refreshToken, 'refresh_token').catch(() => {})
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

/** Where to go on: an address of this page, whatever the state says. */
function pathWithin(state: unknown): string {
  const asked =
    typeof state === 'object' && state !== null && 'returnTo' in state ? state.returnTo : undefined
  const url = typeof asked === 'string' ? URL.parse(asked, location.origin) : null
  return url?.origin === location.origin ? url.pathname + url.search : '/'
}
