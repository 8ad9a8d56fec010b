import type { Page } from 'playwright-core'

/**
 * Measures how far the later documents of a page move without input of the user: the sum of their layout shifts. Returns a function
 * that resolves with the sum of the document that is shown.
 */
export async function watchShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const seen = { shift: 0 }
    Object.assign(globalThis, { seen })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (Reflect.get(entry, 'hadRecentInput') === false) seen.shift += Number(Reflect.get(entry, 'value'))
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          // The second frame is painted after the observer has received the shifts of the first one.
          requestAnimationFrame(() =>
            requestAnimationFrame(() => resolve(Reflect.get(globalThis, 'seen').shift)),
          )
        }),
    )
}
