import { type Client, createClient, type KitError, type MeAccess } from '@vertical-kit/ui-client'
import {
  accessStore,
  featuresStore,
  openSession,
  type Session,
  uploadsStore,
} from '@vertical-kit/ui-client/stores'
import { atom, type ReadableAtom } from 'nanostores'
import { type Desk, openDesk } from './data/desk.ts'
import type { Identity, SignedInUser } from './identity/identity.ts'
import { openSignOuts } from './identity/sign-outs.ts'
import { pathOfTarget } from './navigation-targets.ts'
import { type CollectPayload, openAmounts } from './views/ask-amount.ts'
import { unsavedForms } from './views/unsaved-form.ts'

/** The client, session and data of a signed-in user. */
export interface Workspace {
  readonly user: SignedInUser
  readonly client: Client
  readonly session: Session
  readonly access: MeAccess
  readonly desk: Desk
  readonly collectPayload: CollectPayload
  /** Returns whether the user has a permission. Use the result only to hide controls: the service checks each request. */
  may(permission: string): boolean
}

/** The state of the current user's workspace. */
export type WorkspaceState =
  /** `hasKeptInput`: the session that ended has kept unsent input until its user signs in again. */
  | { readonly status: 'signed-out'; readonly hasKeptInput: boolean }
  | { readonly status: 'opening'; readonly user: SignedInUser }
  | { readonly status: 'refused'; readonly user: SignedInUser; readonly error: KitError }
  | { readonly status: 'open'; readonly workspace: Workspace }

/** Returns whether the browser keeps input that the user has not sent: changed forms and unsent notes. */
const hasKeptInput = ({ drafts: { texts } }: Session): boolean =>
  [unsavedForms, 'note/'].some((prefix) => texts.names(prefix).length > 0)

/** Opens and closes the workspace of the signed-in user. */
export interface Workspaces {
  readonly $state: ReadableAtom<WorkspaceState>
  /** Opens the workspace. The page calls this again after a failure. */
  open(): Promise<void>
  /** Returns whether a sign-out would lose unsaved changes, unsent notes or uploads, in any tab. */
  wouldLose(): Promise<boolean>
  /** Ends the session in all tabs, deletes the session's drafts, and signs the user out. */
  signOut(): Promise<void>
}

/**
 * Opens a workspace for each signed-in user. Closes the previous user's session first.
 *
 * @param hasChanges returns whether the view of this tab has unsaved changes
 */
export function createWorkspaces(identity: Identity, hasChanges: () => boolean): Workspaces {
  const $state = atom<WorkspaceState>({ status: 'signed-out', hasKeptInput: false })
  let session: Session | null = null
  /** The session that was opened last, also after its end: it can still have kept input. */
  let latest: Session | null = null

  const losesHere = (): boolean =>
    session !== null &&
    (hasChanges() || hasKeptInput(session) || uploadsStore(session).$objects.get().length > 0)
  const tabs = openSignOuts({
    wouldLose: (userId) => session?.userId === userId && losesHere(),
    signedOut(userId) {
      if (latest !== null && latest.userId === userId) void latest.signOut()
    },
  })

  const open = async (): Promise<void> => {
    session?.close()
    const hasInput = session !== null && hasKeptInput(session)
    session = null
    const user = identity.$user.get()
    if (user === null) return $state.set({ status: 'signed-out', hasKeptInput: hasInput })
    $state.set({ status: 'opening', user })
    const client = createClient({ accessToken: (ask) => identity.accessToken(user.subject, ask) })
    const opened = openSession({ client, userId: user.subject, hrefOf: pathOfTarget })
    session = opened
    latest = opened
    const { load, $state: $access, may } = accessStore(opened)
    // Load permissions and features before the page is shown, so that the layout does not change later.
    await Promise.all([load(), featuresStore(opened).load()])
    if (session !== opened) return
    const known = $access.get()
    if (known.status === 'failed') return $state.set({ status: 'refused', user, error: known.error })
    if (known.status !== 'ready') return
    const { access } = known
    const desk = openDesk(opened, may)
    const collectPayload = openAmounts(opened)
    $state.set({
      status: 'open',
      workspace: { user, client, session: opened, access, desk, collectPayload, may },
    })
  }
  identity.$user.subscribe(() => void open())

  return {
    $state,
    open,
    wouldLose: async () => losesHere() || (session !== null && (await tabs.wouldLose(session.userId))),
    async signOut() {
      if (session !== null) tabs.signOut(session.userId)
      await session?.signOut()
      await identity.signOut()
    },
  }
}
