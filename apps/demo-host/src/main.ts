import { type RunningDemo, startDemo } from './demo.ts'
import { readDemoSettings } from './demo-settings.ts'
import { demoPassword, demoUsers } from './demo-users.ts'
import { tokenCommand } from './page/about-page.ts'
import { exitWithin, reportFailure, stopSignal } from './process-life.ts'

try {
  const settings = readDemoSettings(process.env, process.argv.slice(2))
  const { shutdownDelayMs = 0 } = settings.host.server
  const stopped = stopSignal()
  const demo = await startDemo(settings, process.env)
  introduce(demo)
  const signal = await stopped
  // Ctrl+C (SIGINT) needs no shutdown delay: a demo in a terminal has no load balancer.
  const isImmediate = signal === 'SIGINT'
  exitWithin(isImmediate ? 0 : shutdownDelayMs)
  await demo.close({ isImmediate })
  process.exit(0)
} catch (error) {
  process.exit(reportFailure(error))
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
  Mails      ${url}/mails
  Data       ${demo.dataDirectories.join(' and ')}; pnpm demo --reset starts empty
  Stop       Ctrl+C
`)
  console.log(`ready ${JSON.stringify({ url, issuer, objectStore, databaseUrl })}`)
}
