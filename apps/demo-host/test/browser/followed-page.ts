import type { Page, Request } from 'playwright-core'
import { expect } from 'vitest'
import type { Stage } from './harness.ts'
import { hold } from './reports.ts'

/**
 * Opens the page of a recent document as the clerk. The page loads the document again when it begins to follow it. Resolves after
 * that: otherwise the page could already show a change of the test.
 */
export async function openFollowed(stage: Stage, path: string): Promise<Page> {
  const page = await stage.signIn('clerk', '/preferences')
  const loading = new Set<Request>()
  page.on('request', (request) => request.url().endsWith('/editor-state') && loading.add(request))
  page.on('requestfinished', (request) => loading.delete(request))
  page.on('requestfailed', (request) => loading.delete(request))
  await page.goto(stage.demo.url + path)
  await page.locator('form').waitFor()
  await page.locator('vk-live-object [role=status][aria-busy=false]').waitFor({ state: 'attached' })
  await expect.poll(() => loading.size).toBe(0)
  return page
}

/** The requests with which the page learns of changes. */
const news = /api\/audit\/events/

/** Opens the page of a document as the clerk. The page does not learn of its changes before the test calls `letNewsThrough`. */
export async function openWithoutNews(
  stage: Stage,
  path: string,
): Promise<{ readonly page: Page; letNewsThrough(): Promise<void> }> {
  const page = await stage.signIn('clerk', '/preferences')
  const held = await hold(page, news)
  await page.goto(stage.demo.url + path)
  await page.locator('form').waitFor()
  await expect.poll(() => held.length).toBeGreaterThan(0)
  // Playwright also continues the held requests.
  return { page, letNewsThrough: () => page.unroute(news) }
}
