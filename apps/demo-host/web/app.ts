import { createIdentity, type Identity } from './identity/identity.ts'
import { loadPageSettings, type PageSettings } from './page-settings.ts'
import { createRouter, type Router } from './router.ts'
import { createWorkspaces, type Workspaces } from './workspace.ts'

/** What the views of the page are given. */
export interface App {
  readonly settings: PageSettings
  readonly identity: Identity
  readonly router: Router
  readonly workspaces: Workspaces
}

/** Starts the page: asks the host where to sign in, and comes back from there if that is where it is. */
export async function startApp(): Promise<App> {
  const settings = await loadPageSettings()
  const identity = await createIdentity(settings.issuer, settings.clientId)
  const router = createRouter()
  if (router.$route.get().view === 'signed-in') {
    router.go(await identity.completeSignIn(), { replaces: true })
  }
  return { settings, identity, router, workspaces: createWorkspaces(identity) }
}
