/**
 * This file supports tests of the page in a real browser. Example:
 *
 *     const stage = stageOfFile()
 *
 *     test('a clerk sees the invoices', async () => {
 *       const page = await stage.signIn('clerk', '/sales-invoices')
 *       await page.getByRole('link', { name: /SI-/ }).first().waitFor()
 *       await expectNoSeriousViolations(page)
 *     })
 *
 * - Import `test` from this file, not from vitest. If no browser is installed, this `test` skips the tests, or fails
 *   the tests if VK_TEST_REQUIRE lists `chromium`. `testIn(firefox)` and `stageOfFile({}, firefox)` use Firefox.
 * - `stageOfFile(environment)` starts a demo and a browser for all tests of a file. `openStage(environment)` starts a
 *   separate demo for one test. Every page has its own browser context (cookies and storage), so two pages simulate two
 *   browsers. `page.context().newPage()` opens another tab in the same browser. Pages close at the end of their test.
 * - A test fails if a page reports an unexpected console error, an uncaught exception or a violation of the content
 *   security policy. Refused requests are console errors. A test that expects such a report must tolerate it, for example
 *   with `tolerate(page, /409 \(Conflict\)/)`.
 * - `stage.as('clerk')` sends requests without a browser. `stage.demo` is the demo (`../demo-process.ts`).
 * - `screenshot(page, 'invoices')` writes `docs/screenshots/invoices-{light,dark,narrow}.png` if UPDATE_SCREENSHOTS is 1.
 * - A failed test prints what its pages show, and their last requests.
 * - Wait with Playwright: `locator.waitFor()` or `expect.poll(() => locator.textContent())`.
 * - Select elements by role or label, which also works in shadow roots: `page.getByRole('button', { name: 'Post' })`.
 */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, inject, onTestFinished, test as vitestTest } from 'vitest'
import { type OpenDemo, openDemo, type Request } from '../demo-process.ts'
import { chromium, type TestBrowser } from './browsers.ts'
import { recordPages } from './failed-pages.ts'
import { awaitInterception } from './interception.ts'
import { copyData } from './seeded-data.ts'
import { signedInState } from './signed-in-state.ts'
import { watchFor } from './unexpected.ts'

export { expectNoSeriousViolations, showTheme } from './accessibility.ts'
export { screenshot } from './screenshot.ts'
export { ofDeleted, tolerate } from './unexpected.ts'

/** Returns the `test` function of vitest, but it skips tests if the browser is missing and not required. */
export const testIn = ({ isMissing, isRequired }: TestBrowser): ReturnType<typeof vitestTest.skipIf> =>
  vitestTest.skipIf(isMissing && !isRequired)

export const test: ReturnType<typeof testIn> = testIn(chromium)

/** A running demo and a browser for its pages. */
export interface Stage {
  readonly demo: OpenDemo
  /** Opens a page in its own browser context at a path of the demo. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>
  /**
   * Opens a page of a user who has signed in. Resolves when the user sees the page. Uses the page of the sign-in only if the options
   * contain a storage state.
   */
  signIn(name: string, path?: string, options?: BrowserContextOptions): Promise<Page>
}

/** A stage that the caller must close. */
export interface OpenStage extends Stage {
  close(): Promise<void>
}

/** The time limit of Playwright. It is below the time limit of tests, so the error names the missing element. */
const waitMs = 30_000

/** The stage of a test file. Use it only in tests and hooks. */
export interface FileStage extends Stage {
  /** Returns a function that sends requests as a user. The first request signs the user in. */
  as(user: string): Request
}

/** Opens a stage before the first test of a file and closes it after the last. Opens nothing if all tests are skipped. */
export function stageOfFile(
  environment: Readonly<Record<string, string>> = {},
  browser: TestBrowser = chromium,
): FileStage {
  let stage: OpenStage
  beforeAll(async () => {
    stage = await openStage(environment, browser)
    return () => stage.close()
  })
  return {
    get demo() {
      return stage.demo
    },
    open: (...args) => stage.open(...args),
    signIn: (...args) => stage.signIn(...args),
    as(user) {
      let signedIn: Promise<Request> | undefined
      return async (...args) => {
        signedIn ??= stage.demo.as(user)
        return (await signedIn)(...args)
      }
    },
  }
}

/** Starts a browser, and a demo with sample data on free ports with the given environment. */
export async function openStage(
  environment: Readonly<Record<string, string>> = {},
  { isMissing, advice, launch }: TestBrowser = chromium,
): Promise<OpenStage> {
  if (isMissing) throw new Error(advice)
  const [demo, first] = await openBoth(openSeeded(environment), launch())
  let browser = first
  const open: Stage['open'] = async (path = '/', options = {}) => {
    const page = await openPage(browser, options).catch(async () => {
      // The browser has crashed. With a new one, the crash fails only the test that was running, and its retry can pass.
      await browser.close().catch(() => {})
      browser = await launch()
      return openPage(browser, options)
    })
    await page.goto(demo.url + path)
    return page
  }
  return {
    demo,
    open,
    async signIn(name, path, options) {
      if (options?.storageState !== undefined) {
        const page = await open(path, options)
        await signIn(page, name)
        return page
      }
      const page = await open(path, { ...options, storageState: await signedInState(demo, name) })
      await page.locator('demo-frame').waitFor()
      return page
    },
    async close() {
      await browser.close()
      await demo.close()
    },
  }
}

const openSeeded = (environment: Readonly<Record<string, string>>) =>
  openDemo(environment, (path) => copyData(inject('seededData'), path))

/** Awaits a demo and a browser. If one of them does not start, closes the other one. */
async function openBoth(
  demo: Promise<OpenDemo>,
  browser: Promise<Browser>,
): Promise<readonly [OpenDemo, Browser]> {
  try {
    return await Promise.all([demo, browser])
  } catch (error) {
    const close = (one: { close(): Promise<void> }) => one.close()
    await Promise.allSettled([demo.then(close), browser.then(close)])
    throw error
  }
}

/** Signs a user in on the sign-in page and waits until the signed-in user sees the page. */
export async function signIn(page: Page, name: string, password = 'demo'): Promise<void> {
  await page.locator(`[data-user="${name}"]`).click()
  await submitPassword(page, password)
  await page.locator('demo-frame').waitFor()
}

/** Signs out through the user's menu and waits for the sign-in page. With `losesInput`, confirms the question about it. */
export async function signOut(page: Page, { losesInput = false } = {}): Promise<void> {
  await page.getByRole('button', { name: /: account and appearance$/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  if (losesInput)
    await page.getByRole('dialog', { name: 'Sign out?' }).getByRole('button', { name: 'Sign out' }).click()
  await page.locator('[data-user]').first().waitFor()
}

/** Submits the form of the identity provider, which already contains the user name. */
export async function submitPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(waitMs)
  awaitInterception(context)
  const expectNothing = await watchFor(context)
  const describePages = recordPages(context)
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') console.log(`${task.name}:\n${await describePages()}`)
    // A handler of `page.route` may still wait for its response. Ignore the error that it gets when the context closes.
    for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
    expectNothing()
  })
  return context.newPage()
}
