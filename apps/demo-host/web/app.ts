import { createIdentity, type Identity } from './identity/identity.ts'
import { loadPageSettings, type PageSettings } from './page-settings.ts'
import { createRouter, type Router } from './router.ts'
import { claimTab } from './tab.ts'
import { createWorkspaces, type Workspaces } from './workspace.ts'

/** The parts of the page that all views share. */
export interface App {
  readonly settings: PageSettings
  readonly identity: Identity
  readonly router: Router
  readonly workspaces: Workspaces
}

/** Starts the page: loads its settings, and completes the sign-in if the identity provider redirected to this page. */
export async function startApp(): Promise<App> {
  const [settings] = await Promise.all([loadPageSettings(), claimTab()])
  const identity = await createIdentity(settings.issuer, settings.clientId)
  const router = createRouter()
  if (router.$route.get().view === 'signed-in') {
    router.go(await identity.completeSignIn(), { replaces: true })
  }
  const workspaces = createWorkspaces(identity, () => router.wouldLose('page'))
  return { settings, identity, router, workspaces }
}
