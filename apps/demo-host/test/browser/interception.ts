import type { BrowserContext, Page } from 'playwright-core'

/**
 * Makes `page.route` of all pages of a context wait until their requests are intercepted. Chromium tells an open page so only
 * later: without this, about one of a hundred requests directly after `page.route` reaches the service, and no event reports it.
 */
export function awaitInterception(context: BrowserContext): void {
  context.on('page', (page) => {
    const route = page.route.bind(page)
    page.route = async (...input) => {
      const routed = await route(...input)
      if (page.url().startsWith('http')) await intercepted(page, route)
      return routed
    }
  })
}

/** An address that every page of the tests has, so that a request that is not intercepted succeeds, too. */
const probe = '/?intercepted'

async function intercepted(page: Page, route: Page['route']): Promise<void> {
  const isProbe = (url: URL) => url.pathname + url.search === probe
  await route(isProbe, (probed) => probed.fulfill({ status: 204 }))
  // The requests of a page that opens in the meantime are intercepted from its start.
  await page.evaluate(untilNoContent, probe).catch(() => {})
  await page.unroute(isProbe)
}

async function untilNoContent(path: string): Promise<void> {
  while ((await fetch(path)).status !== 204);
}
