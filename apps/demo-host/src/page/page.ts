import type { KitEnv } from '@vertical-kit/core-audit'
import type { Context, Hono } from 'hono'
import { demoUsers } from '../demo-users.ts'
import { aboutPage } from './about-page.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { demoPageClient } from './page-client.ts'
import type { PageFile, PageFiles } from './page-files.ts'
import { pageRoutes } from './page-routes.ts'

export interface PageOptions {
  readonly files: PageFiles
  readonly issuer: string
  /** Where browsers send files to; none while attachments are off. */
  readonly objectStore: string | undefined
}

/**
 * Serves the page: its document under each of its own addresses, its assets for ever, what it has to know to sign in, and
 * `/about` for readers without scripts.
 */
export function mountPage(app: Hono<KitEnv>, { files, issuer, objectStore }: PageOptions): void {
  const policy = contentSecurityPolicy(issuer, objectStore)
  const sendDocument = (c: Context<KitEnv>): Response => {
    c.header('Content-Security-Policy', policy)
    // Another page that opens this one, or is opened by it, gets no hold of it.
    c.header('Cross-Origin-Opener-Policy', 'same-origin')
    return send(c, files.document, 'no-cache')
  }
  for (const path of pageRoutes) app.get(path, sendDocument)
  for (const [path, file] of files.assets) {
    app.get(path, (c) => send(c, file, 'public, max-age=31536000, immutable'))
  }
  app.get('/page-settings.json', (c) => {
    c.header('Cache-Control', 'no-cache')
    return c.json({ issuer, clientId: demoPageClient.clientId, users: demoUsers.map(userOnPage) })
  })
  app.get('/about', aboutPage({ issuer }))
  app.get('*', async (c, next) => {
    if (!isPersonElsewhere(c)) return next()
    c.status(404)
    return sendDocument(c)
  })
}

/** Somebody at a browser whose address leads nowhere: the page says so. A program gets the problem it expects. */
function isPersonElsewhere({ req }: Context<KitEnv>): boolean {
  const isOfService = /^\/(api|hubs|assets|health)(\/|$)/.test(req.path)
  return !isOfService && (req.header('Accept')?.includes('text/html') ?? false)
}

function send(c: Context<KitEnv>, file: PageFile, cacheControl: string): Response {
  c.header('Cache-Control', cacheControl)
  c.header('ETag', file.etag)
  if (c.req.header('If-None-Match') === file.etag) return c.body(null, 304)
  c.header('Content-Type', file.contentType)
  return c.body(file.bytes)
}

/** Who can sign in at the demo is written on its door. */
function userOnPage({ subject, displayName, tokenRoles, roleCodes, isActive }: (typeof demoUsers)[number]) {
  return { name: subject, displayName, roles: [...tokenRoles, ...roleCodes], isActive }
}
