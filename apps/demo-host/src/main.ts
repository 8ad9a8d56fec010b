import { ConfigurationError, configurationExitCode, createLogger } from '@vertical-kit/core-audit/host'
import { CannotStartError } from './cannot-start-error.ts'
import { type RunningDemo, startDemo } from './demo.ts'
import { readDemoSettings } from './demo-settings.ts'
import { demoPassword, demoUsers } from './demo-users.ts'
import { tokenCommand } from './page/about-page.ts'

/** Limits the steps after the shutdown delay. These steps and the default delay take less than 10 s in total. */
const stopLimitMs = 4_500

try {
  const settings = readDemoSettings(process.env, process.argv.slice(2))
  const { shutdownDelayMs = 0 } = settings.host.server
  const stopped = stopSignal()
  const demo = await startDemo(settings, process.env)
  introduce(demo)
  const signal = await stopped
  // Ctrl+C (SIGINT) needs no shutdown delay: a demo in a terminal has no load balancer.
  const isImmediate = signal === 'SIGINT'
  setTimeout(() => process.exit(1), stopLimitMs + (isImmediate ? 0 : shutdownDelayMs)).unref()
  await demo.close({ isImmediate })
  process.exit(0)
} catch (error) {
  process.exit(report(error))
}

/** Resolves at the first SIGTERM or SIGINT, even during startup. A second signal ends the process immediately. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      process.removeListener('SIGTERM', stop).removeListener('SIGINT', stop)
      resolve(signal)
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
  // Use the logger because it removes sensitive data from errors.
  else createLogger({ level: 'fatal', destination: process.stderr }).fatal({ err: error }, 'The demo ended.')
  return 1
}
