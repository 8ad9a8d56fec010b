import { type Client, createClient, type KitError, type MeAccess } from '@vertical-kit/ui-client'
import { accessStore, featuresStore, openSession, type Session } from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import { type Desk, openDesk } from './data/desk.ts'
import type { Identity, SignedInUser } from './identity/identity.ts'

/** What a signed-in user works with. */
export interface Workspace {
  readonly user: SignedInUser
  readonly client: Client
  readonly session: Session
  readonly access: MeAccess
  readonly desk: Desk
  /** Whether the user has a permission: what the page offers goes by it, and the service asks again. */
  may(permission: string): boolean
}

/** How far the page is with opening one. */
export type WorkspaceState =
  | { readonly status: 'signed-out' }
  | { readonly status: 'opening'; readonly user: SignedInUser }
  | { readonly status: 'refused'; readonly user: SignedInUser; readonly error: KitError }
  | { readonly status: 'open'; readonly workspace: Workspace }

/** The workspace of whoever is signed in. */
export interface Workspaces {
  readonly $state: ReadableAtom<WorkspaceState>
  /** Tries again after a refusal. */
  open(): Promise<void>
  /** Ends the session, what was begun in it included, then the sign-in. */
  signOut(): Promise<void>
}

/** Opens a workspace for each user who signs in. The session of the one before is closed first, whoever comes next. */
export function createWorkspaces(identity: Identity): Workspaces {
  const $state = atom<WorkspaceState>({ status: 'signed-out' })
  let session: Session | null = null

  const open = async (): Promise<void> => {
    session?.close()
    session = null
    const user = identity.$user.get()
    if (user === null) return $state.set({ status: 'signed-out' })
    $state.set({ status: 'opening', user })
    const client = createClient({ accessToken: (ask) => identity.accessToken(user.subject, ask) })
    const opened = openSession({ client, userId: user.subject })
    session = opened
    const { load, $state: $access, may } = accessStore(opened)
    // Known before anything is shown, so that nothing moves when it is; without an answer no feature is on.
    await Promise.all([load(), featuresStore(opened).load()])
    if (session !== opened) return
    const known = $access.get()
    if (known.status === 'failed') return $state.set({ status: 'refused', user, error: known.error })
    if (known.status !== 'ready') return
    const { access } = known
    const desk = openDesk(opened, may)
    $state.set({ status: 'open', workspace: { user, client, session: opened, access, desk, may } })
  }
  identity.$user.subscribe(() => void open())

  return {
    $state,
    open,
    async signOut() {
      await session?.signOut()
      await identity.signOut()
    },
  }
}
