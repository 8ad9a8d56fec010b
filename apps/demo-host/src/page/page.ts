import { fixedAnswer } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { Context, Hono } from 'hono'
import { demoUsers } from '../demo-users.ts'
import { aboutPage } from './about-page.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { demoPageClient } from './page-client.ts'
import type { PageFiles } from './page-files.ts'
import { pageRoutes } from './page-routes.ts'

export interface PageOptions {
  readonly files: PageFiles
  readonly issuer: string
  /** The store that browsers upload files to; undefined while attachments are off. */
  readonly objectStore: string | undefined
}

/**
 * Serves the page: its document under each of its paths, its assets with immutable caching, its sign-in settings, and
 * `/about` for readers without scripts.
 */
export function mountPage(app: Hono<KitEnv>, { files, issuer, objectStore }: PageOptions): void {
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(issuer, objectStore),
    // Isolates the page from its opener and from popups.
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
  const sendDocument = fixedAnswer({ ...files.document, headers })
  for (const path of pageRoutes) app.get(path, sendDocument)
  for (const [path, file] of files.assets) {
    app.get(
      path,
      fixedAnswer({ ...file, headers: { 'Cache-Control': 'public, max-age=31536000, immutable' } }),
    )
  }
  const settings = { issuer, clientId: demoPageClient.clientId, users: demoUsers.map(userOnPage) }
  app.get(
    '/page-settings.json',
    fixedAnswer({ body: JSON.stringify(settings), contentType: 'application/json' }),
  )
  app.get(
    '/about',
    fixedAnswer(() => aboutPage(issuer)),
  )
  const sendNotFound = fixedAnswer({ ...files.document, headers, status: 404 })
  app.get('*', (c, next) => (isPersonElsewhere(c) ? sendNotFound(c) : next()))
}

/** Whether a browser opens an unknown path. The page then shows an error; programs receive a problem document. */
function isPersonElsewhere({ req }: Context<KitEnv>): boolean {
  const isOfService = /^\/(api|hubs|assets|health)(\/|$)/.test(req.path)
  return !isOfService && (req.header('Accept')?.includes('text/html') ?? false)
}

/** The public data of a demo user. The sign-in page lists all of them. */
function userOnPage({ subject, displayName, tokenRoles, roleCodes, isActive }: (typeof demoUsers)[number]) {
  return { name: subject, displayName, roles: [...tokenRoles, ...roleCodes], isActive }
}
