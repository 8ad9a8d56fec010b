import type { BrowserContext, Page } from 'playwright-core'

/** The reports from pages of one context, and the patterns that their test tolerates. */
interface Reports {
  readonly texts: string[]
  readonly tolerated: RegExp[]
}

const reportsOf = new WeakMap<BrowserContext, Reports>()

/** Reports policy violations in one format. The browser's own console messages differ between violations. */
const reportPolicyBreaches = () => {
  addEventListener(
    'securitypolicyviolation',
    ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      console.error(`policy breach: ${effectiveDirective} ${blockedURI} at ${sourceFile}:${lineNumber}`)
    },
  )
}

/** Records the reports of the context's pages. The returned function throws if any of them was unexpected. */
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
      throw new Error(`The page reported unexpected errors:\n${unexpected.join('\n')}`)
  }
}

/** Tolerates matching reports from all pages of the context, including earlier ones. */
export function tolerate(page: Page, pattern: RegExp): void {
  reportsOf.get(page.context())?.tolerated.push(pattern)
}
