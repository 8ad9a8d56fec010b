import { chromium } from './chromium.ts'

/** Says once, and loudly, that there is no browser. The tests say the rest: skipped, or failed where `CI` is `true`. */
export function setup(): void {
  if (!chromium.isMissing) return
  const outcome = chromium.isRequired ? 'FAILED' : 'SKIPPED'
  console.error(`\n!!! ${outcome}: the tests in a browser: ${chromium.advice} !!!\n`)
}
