import { chromiumPath, findOptionalPrograms } from '../../../../vitest.optional-programs.ts'

const { missing, isRequired, advice } = findOptionalPrograms().chromium
const path = chromiumPath()

/** The browser for tests: `$CHROMIUM`, or the path on Debian. */
export const chromium = {
  path,
  isMissing: missing.length > 0,
  /** Whether tests fail instead of being skipped without the browser. */
  isRequired,
  advice: `${path} does not exist (${advice})`,
} as const
