import type { Page, WebSocket } from 'playwright-core'
import { describe, expect, onTestFinished } from 'vitest'
import { freePort } from '../../../../vitest.free-port.ts'
import { expectAnswer } from '../answers.ts'
import { type Demo, sharedParts, startDemo } from '../demo-process.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { openStage, signIn, signOut, stageOfFile, test, tolerate } from './harness.ts'
import { badge, countOf, knownCount, rowOf, workCenter } from './work-center-stage.ts'

/** The time limit of tests that start additional hosts. It is long because the machine can be busy. */
const startingMs = 300_000

// The most verbose log level is necessary for the last test, which searches all log lines.
const stage = stageOfFile({ LOG_LEVEL: 'trace' })
const clerk = stage.as('clerk')

/** Starts another host on the given port, by default a new one. It shares all services with the demo of the stage. */
async function openHost(port?: string): Promise<Demo> {
  const host = await startDemo({ ...sharedParts(stage.demo), PORT: port ?? String(await freePort()) })
  onTestFinished(async () => void (await host.stop()))
  return host
}

/** Returns an array that receives every socket to the hub that the page opens after this call. */
function sockets(page: Page): WebSocket[] {
  const opened: WebSocket[] = []
  page.on('websocket', (socket) => {
    if (socket.url().includes('/hubs/work-center')) opened.push(socket)
  })
  return opened
}

/** Opens a page that cannot connect to the hub. */
async function openDeaf(): Promise<Page> {
  const page = await stage.open()
  tolerate(page, /ERR_FAILED|ERR_INTERNET_DISCONNECTED/)
  await page.route('**/hubs/work-center/negotiate*', (route) => route.abort())
  return page
}

/** Posts an invoice and asserts that the disconnected page still shows the old count. Returns the old count. */
async function missedInvoice(page: Page): Promise<number> {
  const before = await knownCount(page)
  await postedInvoice(clerk)
  const summary = () => expectAnswer(clerk('GET', '/api/work-center/summary'), 200)
  await expect.poll(async () => (await summary())['attentionCount']).toBe(before + 1)
  expect(await countOf(page)).toBe(before)
  expect(await badge(page).getAttribute('aria-label')).toContain('Not connected')
  return before
}

describe('an open page of the Work Center', () => {
  test('shows current items again after its host was killed and restarted', {
    timeout: startingMs,
  }, async () => {
    const host = await openHost()
    const page = await stage.open()
    tolerate(page, /ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)|WebSocket/)
    await page.goto(`${host.url}/work-center`)
    await signIn(page, 'clerk')
    const before = await knownCount(page)
    await host.stop('SIGKILL')
    const invoice = await postedInvoice(clerk)
    await openHost(new URL(host.url).port)
    await rowOf(page, invoice).waitFor({ timeout: 60_000 })
    // The page reads its list and its count in separate requests.
    await expect.poll(() => countOf(page)).toBe(before + 1)
    // The page also receives later changes.
    await rowOf(page, await postedInvoice(clerk)).waitFor()
  })

  test('polls every 30 seconds while it cannot connect to the hub', async () => {
    const page = await openDeaf()
    await page.clock.install()
    await signIn(page, 'clerk')
    const before = await missedInvoice(page)
    await page.clock.fastForward(31_000)
    await expect.poll(() => countOf(page)).toBe(before + 1)
  })

  test('polls immediately when the network is back', async () => {
    const page = await openDeaf()
    await signIn(page, 'clerk')
    const before = await missedInvoice(page)
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await expect.poll(() => countOf(page)).toBe(before + 1)
  })

  test('shows an error and receives no further items after its user was deactivated', async () => {
    const page = await stage.signIn('clerk2', '/work-center')
    // The test can end while the page connects to the hub again.
    tolerate(page, /403 \(Forbidden\)|^console: WebSocket connection to/)
    await knownCount(page)
    const admin = await stage.demo.as('admin')
    const { items } = await expectAnswer(admin('GET', '/api/security/users?limit=100'), 200)
    const { id } = items.find((user) => user['subject'] === 'clerk2') ?? {}
    await expectAnswer(admin('POST', `/api/security/users/${id}/deactivate`), 200)
    onTestFinished(
      async () => void (await expectAnswer(admin('POST', `/api/security/users/${id}/reactivate`), 200)),
    )
    const invoice = await postedInvoice(clerk)
    const watching = await stage.signIn('clerk', '/work-center')
    await rowOf(watching, invoice).waitFor()
    await workCenter(page).getByRole('alert').getByText('Could not load').waitFor({ timeout: 60_000 })
    expect(await rowOf(page, invoice).count()).toBe(0)
  })
})

test('the second user of a browser never sees items of the first user', async () => {
  const invoice = await postedInvoice(clerk)
  const left = await stage.signIn('clerk', '/work-center')
  await rowOf(left, invoice).waitFor()
  // Delay a response for the first user until the second user is signed in.
  const released = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  await left.route('**/api/work-center/items*', async (route) => {
    const answer = await route.fetch()
    reached.resolve()
    await released.promise
    await route.fulfill({ response: answer }).catch(() => {})
  })
  await workCenter(left).getByRole('tab', { name: 'Tasks' }).click()
  await reached.promise
  const other = await left.context().newPage()
  await other.goto(stage.demo.url)
  await other.locator('demo-frame').waitFor()
  await signOut(other)
  await left.locator('[data-user]').first().waitFor()
  expect(await workCenter(left).count()).toBe(0)
  await signIn(other, 'outsider')
  await workCenter(left).waitFor()
  // The handler of a later request may never finish, because its page has loaded the next list.
  await left.unrouteAll({ behavior: 'ignoreErrors' })
  released.resolve()
  // The address keeps the tab.
  await workCenter(left).getByText('You have no open tasks.').waitFor()
  expect(await rowOf(left, invoice).count()).toBe(0)
  expect(await left.getByText(invoice.number).count()).toBe(0)
})

const tokenOf = (socket: WebSocket): string => new URL(socket.url()).searchParams.get('access_token') ?? ''

test('after its token has expired, an open page reconnects with a new token and receives changes', {
  timeout: startingMs,
}, async () => {
  const brief = await openStage({ DEMO_TOKEN_LIFETIME: '00:00:08' })
  onTestFinished(() => brief.close())
  const page = await brief.open()
  // The token can expire before a request arrives, or between the negotiation and the upgrade.
  tolerate(page, /401 \(Unauthorized\)|hubs\/work-center.* failed: HTTP Authentication failed/)
  const opened = sockets(page)
  await signIn(page, 'clerk')
  await expect.poll(() => new Set(opened.map(tokenOf)).size, { timeout: 60_000 }).toBeGreaterThanOrEqual(2)
  const before = await knownCount(page)
  await postedInvoice(await brief.demo.as('clerk'))
  await expect.poll(() => countOf(page), { timeout: 30_000 }).toBe(before + 1)
})

test("the log of the host does not contain the token of a page's connection to the hub", async () => {
  const page = await stage.open()
  const opened = sockets(page)
  await signIn(page, 'clerk')
  await expect.poll(() => opened.map(tokenOf)).toHaveLength(1)
  const [token = ''] = opened.map(tokenOf)
  expect(token.length).toBeGreaterThan(100)
  const { stdout, stderr } = stage.demo
  await expect.poll(stdout).toContain('/hubs/work-center')
  expect(stdout() + stderr()).not.toContain(token)
  expect(stdout() + stderr()).not.toContain('access_token=ey')
})
