import type { BrowserContext, Request } from 'playwright-core'

/** The number of steps that a description contains. Earlier ones rarely explain a failure. */
const maxSteps = 60

/**
 * Records the requests and the messages of a context. The returned function describes what its pages show, and their last requests
 * with the time since the start. Print it for a failed test: the cause is often the order of answers, which another run does not
 * repeat.
 */
export function recordPages(context: BrowserContext): () => Promise<string> {
  const startedAtMs = performance.now()
  const steps: string[] = []
  const record = (step: string) => steps.push(`${Math.round(performance.now() - startedAtMs)} ms: ${step}`)
  const describe = (request: Request) => `${request.method()} ${request.url()}`
  context.on('request', (request) => record(describe(request)))
  context.on('response', (response) => record(`${response.status()} for ${describe(response.request())}`))
  context.on('requestfailed', (request) => record(`${request.failure()?.errorText} for ${describe(request)}`))
  context.on('console', (message) => record(`console, ${message.type()}: ${message.text()}`))
  return async () => {
    const last = steps.slice(-maxSteps)
    const shown = context.pages().map(async (page) => {
      const content = await page.locator('body').ariaSnapshot({ timeout: 5_000 }).catch(String)
      return `${page.url()} shows:\n${content}`
    })
    return [...(await Promise.all(shown)), 'The last requests and messages:', ...last].join('\n')
  }
}
