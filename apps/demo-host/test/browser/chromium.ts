import { chromiumPath, findOptionalPrograms } from '../../../../vitest.optional-programs.ts'

const { missing, isRequired, advice } = findOptionalPrograms().chromium
const path = chromiumPath()

/** The browser for tests. Its path is `$CHROMIUM`, or the default path on Debian. */
export const chromium = {
  path,
  isMissing: missing.length > 0,
  /** If the browser is missing: true if the tests fail, false if the tests are skipped. */
  isRequired,
  advice: `${path} does not exist (${advice})`,
} as const
