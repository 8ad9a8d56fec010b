import { type Browser, chromium as playwrightChromium, firefox as playwrightFirefox } from 'playwright-core'
import {
  chromiumPath,
  findOptionalPrograms,
  firefoxPath,
  type ProgramName,
} from '../../../../vitest.optional-programs.ts'

/** A browser for tests. */
export interface TestBrowser {
  readonly isMissing: boolean
  /** If the browser is missing: true if the tests fail, false if the tests are skipped. */
  readonly isRequired: boolean
  readonly advice: string
  launch(): Promise<Browser>
}

const programs = findOptionalPrograms()

function browserOf(name: ProgramName, path: string, launch: TestBrowser['launch']): TestBrowser {
  const { missing, isRequired, advice } = programs[name]
  return { isMissing: missing.length > 0, isRequired, advice: `${path} does not exist (${advice})`, launch }
}

/** The browser of most tests. Its path is `$CHROMIUM`, or the default path on Debian. */
export const chromium: TestBrowser = browserOf('chromium', chromiumPath(), () =>
  playwrightChromium.launch({
    executablePath: chromiumPath(),
    // Without UTF-8, Chromium stores a file with other letters than ASCII in its name as `download`.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    args: [
      // Chromium's sandbox does not work as root.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      // These options disable background activity: updates, synchronisation and first-run pages.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // The shared memory of containers is often too small for Chromium.
      '--disable-dev-shm-usage',
    ],
  }),
)

/**
 * Firefox without patches, over WebDriver BiDi. Its path is `$FIREFOX`, or the default path on Debian. Pages cannot change
 * their emulated media.
 */
export const firefox: TestBrowser = browserOf('firefox', firefoxPath(), async () => {
  const browser = await playwrightFirefox.launch({
    // The channels whose names start with `moz-` use WebDriver BiDi. Other channels need a Firefox that Playwright patched.
    channel: 'moz-firefox',
    executablePath: firefoxPath(),
    firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 },
  })
  withoutMediaEmulation(browser)
  return browser
})

const emulateMedia = 'emulation.setMediaFeaturesOverride'

/**
 * Playwright sends the command `emulateMedia` for every new context, but Firefox 153 does not know it. No option of Playwright
 * omits the command, so answer it here. Remove this function when Firefox ESR knows the command.
 */
function withoutMediaEmulation(browser: Browser): void {
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl(one: Browser): { _browserSession: BidiSession } }
  }
  const session = connection.toImpl(browser)._browserSession
  const { send } = session
  session.send = async (method, parameters) =>
    method === emulateMedia ? {} : send.call(session, method, parameters)
}

/** Playwright's internal connection to a browser. */
interface BidiSession {
  send(method: string, parameters: unknown): Promise<unknown>
}
