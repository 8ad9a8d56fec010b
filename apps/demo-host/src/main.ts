import { runHost } from '@vertical-kit/core-audit/host'
import { type RunningDemo, startDemo } from './demo.ts'
import { readDemoSettings } from './demo-settings.ts'
import { demoPassword, demoUsers } from './demo-users.ts'
import { tokenCommand } from './page/about-page.ts'

await runHost(async () => {
  const demo = await startDemo(readDemoSettings(process.env, process.argv.slice(2)), process.env)
  introduce(demo)
  return demo
})

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
