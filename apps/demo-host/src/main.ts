import { ConfigurationError, configurationExitCode, createLogger } from '@vertical-kit/core-audit/host'
import { CannotStartError } from './cannot-start-error.ts'
import { type RunningDemo, startDemo } from './demo.ts'
import { readDemoSettings } from './demo-settings.ts'
import { demoPassword, demoUsers } from './demo-users.ts'
import { tokenCommand } from './page/about-page.ts'

/** Whoever stopped us waits 10 s. Everything that can wait has a shorter limit; this one is for what has none. */
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

/** Resolves at SIGTERM or SIGINT; one that comes while the demo starts counts when it has. A second one ends at once. */
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
             everybody's password is ${demoPassword}
  Token      TOKEN=$(${tokenCommand(issuer, 'clerk')} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  Try        curl -s ${url}/api/documents/trade.sales_invoice -H "Authorization: Bearer $TOKEN"
  Data       ${demo.dataDirectories.join(' and ')}; pnpm demo --reset starts empty
  Stop       Ctrl+C
`)
  console.log(`ready ${JSON.stringify({ url, issuer, objectStore, databaseUrl })}`)
}

/** Says what went wrong and returns the exit status. */
function report(error: unknown): number {
  if (error instanceof ConfigurationError) {
    for (const problem of error.problems) console.error(problem)
    return configurationExitCode
  }
  if (error instanceof CannotStartError) console.error(error.message)
  // The logger knows what of an error may be written down.
  else createLogger({ level: 'fatal', destination: process.stderr }).fatal({ err: error }, 'The demo ended.')
  return 1
}
