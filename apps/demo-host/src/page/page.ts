import { fixedAnswer } from '@vertical-kit/core-audit/host'
import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { Context, Hono } from 'hono'
import { demoUsers } from '../demo-users.ts'
import { aboutPage } from './about-page.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { mountMailPage } from './mail-page.ts'
import { demoPageClient } from './page-client.ts'
import type { PageFiles } from './page-files.ts'
import { pageRoutes } from './page-routes.ts'

export interface PageOptions {
  readonly files: PageFiles
  readonly issuer: string
  /** The URL of the store that browsers upload files to. Undefined while attachments are off. */
  readonly objectStore: string | undefined
}

/**
 * Adds the routes of the page: the document at each path of the page, the assets with immutable caching, the sign-in
 * settings, and `/about`, which works without scripts.
 */
export function mountPage(app: Hono<KitEnv>, { files, issuer, objectStore }: PageOptions): void {
  const headers = {
    'Content-Security-Policy': contentSecurityPolicy(issuer, objectStore),
    // This header isolates the page from its opener and from popups.
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
    fixedAnswer(() => aboutPage(issuer, { hasMails: files.mails !== undefined })),
  )
  const sendNotFound = fixedAnswer({ ...files.document, headers, status: 404 })
  if (files.mails !== undefined) mountMailPage(app, files.mails)
  app.get('*', (c, next) => (isPersonElsewhere(c) ? sendNotFound(c) : next()))
}

/** Checks whether a browser opens an unknown path. Other clients receive a problem document instead of the page. */
function isPersonElsewhere({ req }: Context<KitEnv>): boolean {
  const isOfService = /^\/(api|hubs|assets|health)(\/|$)/.test(req.path)
  return !isOfService && (req.header('Accept')?.includes('text/html') ?? false)
}

/** Returns the data of a user that the sign-in page shows. */
function userOnPage({ subject, displayName, tokenRoles, roleCodes, isActive }: (typeof demoUsers)[number]) {
  return { name: subject, displayName, roles: [...tokenRoles, ...roleCodes], isActive }
}
