import { ConfigurationError, configurationExitCode, createLogger } from '@vertical-kit/core-audit/host'
import { CannotStartError } from './cannot-start-error.ts'
import { type RunningDemo, startDemo } from './demo.ts'
import { readDemoSettings } from './demo-settings.ts'
import { demoPassword, demoUsers } from './demo-users.ts'
import { tokenCommand } from './page/about-page.ts'

/** Process managers usually wait 10 s. Shutdown steps have shorter limits; this one covers steps without a limit. */
const stopLimitMs = 9_500

try {
  const settings = readDemoSettings(process.env, process.argv.slice(2))
  const stopped = stopSignal()
  const demo = await startDemo(settings, process.env)
  introduce(demo)
  await stopped
  await demo.close()
  process.exit(0)
} catch (error) {
  process.exit(report(error))
}

/** Resolves on SIGTERM or SIGINT, also during startup. A second signal ends the process immediately. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.removeListener('SIGTERM', stop).removeListener('SIGINT', stop)
      setTimeout(() => process.exit(1), stopLimitMs).unref()
      resolve()
    }
    process.on('SIGTERM', stop).on('SIGINT', stop)
  })
}

function introduce(demo: RunningDemo): void {
  const { url, issuer, objectStore, databaseUrl } = demo
  console.log(`
Vertical Kit demo

  Open       ${url}/            the API: ${url}/docs
  Sign in    ${demoUsers.map(({ subject }) => subject).join(', ')}
             the password of all users is ${demoPassword}
  Token      TOKEN=$(${tokenCommand(issuer, 'clerk')} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  Try        curl -s ${url}/api/documents/trade.sales_invoice -H "Authorization: Bearer $TOKEN"
  Data       ${demo.dataDirectories.join(' and ')}; pnpm demo --reset starts empty
  Stop       Ctrl+C
`)
  console.log(`ready ${JSON.stringify({ url, issuer, objectStore, databaseUrl })}`)
}

/** Prints the error and returns the exit status. */
function report(error: unknown): number {
  if (error instanceof ConfigurationError) {
    for (const problem of error.problems) console.error(problem)
    return configurationExitCode
  }
  if (error instanceof CannotStartError) console.error(error.message)
  // The logger removes sensitive data from errors.
  else createLogger({ level: 'fatal', destination: process.stderr }).fatal({ err: error }, 'The demo ended.')
  return 1
}
