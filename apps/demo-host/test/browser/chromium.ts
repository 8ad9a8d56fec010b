import { existsSync } from 'node:fs'

const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** The browser that tests drive: `$CHROMIUM`, or Debian's. */
export const chromium = {
  path,
  isMissing: !existsSync(path),
  /** Where everything has to be tested, nothing is left out for want of a browser. */
  isRequired: process.env['CI'] === 'true',
  advice: `${path} does not exist (Debian: apt-get install chromium; or set CHROMIUM)`,
} as const
