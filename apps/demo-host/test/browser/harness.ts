/**
 * Tests of the page in a real browser.
 *
 *     const stage = stageOfFile()
 *
 *     test('a clerk sees the invoices', async () => {
 *       const page = await stage.signIn('clerk', '/sales-invoices')
 *       await page.getByRole('link', { name: /SI-/ }).first().waitFor()
 *       await expectNoSeriousViolations(page)
 *     })
 *
 * - `test` comes from here, not from vitest: without a browser it skips, and fails where VK_TEST_REQUIRE names `chromium`.
 * - `stageOfFile(environment)` starts a demo of the file's own and a browser before the first test, and stops them after the
 *   last; `openStage(environment)` is for a test that needs a demo of its own. Pages are opened within tests, each in a
 *   context of its own (cookies, storage): two calls are two people, or one person at two browsers;
 *   `page.context().newPage()` is another tab. They are closed with the test.
 * - A test fails when a page of it reports what nobody expected: an error in the console (a refused request is one), an
 *   uncaught exception, a breach of the content security policy. What a test provokes it tolerates:
 *   `tolerate(page, /409 \(Conflict\)/)`.
 * - `stage.as('clerk')` sends requests as a script would; `stage.demo` is the demo (`../demo-process.ts`).
 * - `screenshot(page, 'invoices')` writes `docs/screenshots/invoices-{light,dark,narrow}.png` when UPDATE_SCREENSHOTS is 1.
 * - Waiting is Playwright's: `locator.waitFor()`, `expect.poll(() => locator.textContent())`. Roles and labels find what a
 *   person finds, through shadow roots as well: `page.getByRole('button', { name: 'Post', exact: true })`.
 */
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core'
import { beforeAll, onTestFinished, test as vitestTest } from 'vitest'
import { type OpenDemo, openDemo, type Request } from '../demo-process.ts'
import { chromium } from './chromium.ts'
import { watchFor } from './unexpected.ts'

export { expectNoSeriousViolations } from './accessibility.ts'
export { screenshot } from './screenshot.ts'
export { tolerate } from './unexpected.ts'

/** `test`, where there is a browser. */
export const test: ReturnType<typeof vitestTest.skipIf> = vitestTest.skipIf(
  chromium.isMissing && !chromium.isRequired,
)

/** A demo, and a browser to look at it with. */
export interface Stage {
  readonly demo: OpenDemo
  /** A page in a context of its own, at an address of the demo. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>
  /** The same, through the sign-in: it is ready when the page is shown to its user. */
  signIn(name: string, path?: string, options?: BrowserContextOptions): Promise<Page>
}

/** A stage for its opener to close. */
export interface OpenStage extends Stage {
  close(): Promise<void>
}

/** Generous, since a machine may be busy with much else; below the limit of a test, so that it is told what was waited for. */
const waitMs = 30_000

/** The stage of a test file, for use within its tests and hooks. */
export interface FileStage extends Stage {
  /** Sends requests as a user, who signs in with the first one. */
  as(user: string): Request
}

/** Opens a stage before the first test of a file, and closes it after the last. Nothing is opened when all are skipped. */
export function stageOfFile(environment: Readonly<Record<string, string>> = {}): FileStage {
  let stage: OpenStage
  beforeAll(async () => {
    stage = await openStage(environment)
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

/** Starts a demo on free ports, with an environment of the test's, and a browser. */
export async function openStage(environment: Readonly<Record<string, string>> = {}): Promise<OpenStage> {
  if (chromium.isMissing) throw new Error(chromium.advice)
  const [demo, browser] = await Promise.all([openDemo(environment), launch()])
  const open: Stage['open'] = async (path = '/', options = {}) => {
    const page = await openPage(browser, options)
    await page.goto(demo.url + path)
    return page
  }
  return {
    demo,
    open,
    async signIn(name, path, options) {
      const page = await open(path, options)
      await signIn(page, name)
      return page
    },
    async close() {
      await browser.close()
      await demo.close()
    },
  }
}

/** Signs in at the door a page shows, and waits until the page is shown to its user. */
export async function signIn(page: Page, name: string, password = 'demo'): Promise<void> {
  await page.locator(`[data-user="${name}"]`).click()
  await submitPassword(page, password)
  await page.locator('demo-frame').waitFor()
}

/** Signs out by the menu of the page's frame, and waits for the door. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /: account and appearance$/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.locator('[data-user]').first().waitFor()
}

/** Fills in the identity provider's form, where the name is filled in already. */
export async function submitPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

function launch(): Promise<Browser> {
  return playwright.launch({
    executablePath: chromium.path,
    args: [
      // Chromium's sandbox does not run as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      // Nothing of its own: no updates, no telemetry, no first steps.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // The shared memory of a container is often too small for it.
      '--disable-dev-shm-usage',
    ],
  })
}

async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(waitMs)
  const expectNothing = await watchFor(context)
  onTestFinished(async () => {
    await context.close()
    expectNothing()
  })
  return context.newPage()
}
