import type { BrowserContext, Page } from 'playwright-core'

/** What the pages of one context have reported, and what of it their test provoked. */
interface Reports {
  readonly texts: string[]
  readonly tolerated: RegExp[]
}

const reportsOf = new WeakMap<BrowserContext, Reports>()

/** The console names a breach of policy by its message, which differs; this is told by the page itself. */
const reportPolicyBreaches = () => {
  addEventListener(
    'securitypolicyviolation',
    ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      console.error(`policy breach: ${effectiveDirective} ${blockedURI} at ${sourceFile}:${lineNumber}`)
    },
  )
}

/** Collects what the context's pages report. Call what it returns at the end: it throws when something was not expected. */
export async function watchFor(context: BrowserContext): Promise<() => void> {
  const reports: Reports = { texts: [], tolerated: [] }
  reportsOf.set(context, reports)
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    reports.texts.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => {
    reports.texts.push(`exception: ${error.error().stack ?? error.error().message}`)
  })
  await context.addInitScript(reportPolicyBreaches)
  return () => {
    const unexpected = reports.texts.filter(
      (text) => !reports.tolerated.some((pattern) => pattern.test(text)),
    )
    if (unexpected.length > 0)
      throw new Error(`The page reported what nobody expected:\n${unexpected.join('\n')}`)
  }
}

/** Expects reports like this one of a page and the others of its context, from now on and until now. */
export function tolerate(page: Page, pattern: RegExp): void {
  reportsOf.get(page.context())?.tolerated.push(pattern)
}
