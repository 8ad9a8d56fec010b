import type { BrowserContext, Page } from 'playwright-core'

/** The reports of all pages of one browser context, and the patterns of reports that the test tolerates. */
interface Reports {
  readonly texts: string[]
  /** The refused requests with their problems, which explain reports. */
  readonly refusals: string[]
  readonly tolerated: RegExp[]
}

const reportsOf = new WeakMap<BrowserContext, Reports>()

/** Logs violations of the content security policy in one format. The browser's own messages have several formats. */
const reportPolicyBreaches = () => {
  addEventListener(
    'securitypolicyviolation',
    ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) => {
      console.error(`policy breach: ${effectiveDirective} ${blockedURI} at ${sourceFile}:${lineNumber}`)
    },
  )
}

/** The hub may report a deletion before its response arrives. The page then asks for the deleted draft and its events. */
export const ofDeleted = /404 \(Not Found\).*\/(audit\/events|editor-state)/

/** Records the reports of all pages of a context. The returned function throws if a report matches no tolerated pattern. */
export async function watchFor(context: BrowserContext): Promise<() => void> {
  const reports: Reports = { texts: [], refusals: [], tolerated: [] }
  reportsOf.set(context, reports)
  context.on('console', (message) => {
    if (message.type() !== 'error') return
    reports.texts.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => {
    reports.texts.push(`exception: ${error.error().stack ?? error.error().message}`)
  })
  context.on('response', async (response) => {
    if (response.status() < 400) return
    const problem = await response.text().catch(() => '')
    reports.refusals.push(`${response.request().method()} ${response.url()}: ${response.status()} ${problem}`)
  })
  await context.addInitScript(reportPolicyBreaches)
  return () => {
    const unexpected = reports.texts.filter(
      (text) => !reports.tolerated.some((pattern) => pattern.test(text)),
    )
    if (unexpected.length > 0)
      throw new Error(
        [
          'The page reported unexpected errors:',
          ...unexpected,
          'Refused requests:',
          ...reports.refusals,
        ].join('\n'),
      )
  }
}

/** Tolerates reports that match the pattern, from all pages of the context. Also applies to earlier reports. */
export function tolerate(page: Page, pattern: RegExp): void {
  reportsOf.get(page.context())?.tolerated.push(pattern)
}
