import { chromiumPath, findOptionalPrograms } from '../../../../vitest.optional-programs.ts'

const { missing, isRequired, advice } = findOptionalPrograms().chromium
const path = chromiumPath()

/** The browser that tests drive: `$CHROMIUM`, or Debian's. */
export const chromium = {
  path,
  isMissing: missing.length > 0,
  /** Whether tests fail, and are not skipped, without it. */
  isRequired,
  advice: `${path} does not exist (${advice})`,
} as const
