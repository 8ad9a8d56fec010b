import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { removePostgresData } from '@vertical-kit/dev-services'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../vitest.free-port.ts'
import { act } from './actions.ts'
import { expectAnswer } from './answers.ts'
import { accessToken, type Demo, dataFolder, type Request, startDemo } from './demo-process.ts'
import { postedInvoice } from './trade/actions/documents.ts'
import { attach, download, type Target, targetQuery } from './uploads.ts'
import { about, openPage } from './work-center/page.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>

beforeAll(async () => {
  folder = await dataFolder()
})
afterAll(() => folder.remove())

const open = async (
  argv: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Demo> => {
  const demo = await startDemo({ DEMO_DATA_DIR: folder.path, ...environment }, argv)
  onTestFinished(async () => void (await demo.stop()))
  return demo
}

const customer = async (clerk: Request, name: string): Promise<Target> => {
  const { id } = await expectAnswer(clerk('POST', '/api/catalogs/trade.customer', { body: { name } }), 201)
  return { kind: 'CatalogItem', typeCode: 'trade.customer', id }
}

const restart = async (demo: Demo, argv?: readonly string[]): Promise<Demo> => {
  expect(await demo.stop()).toBe(0)
  return open(argv)
}

test('a demo keeps its data after a restart, and --reset deletes the data', async () => {
  const demo = await open()
  const clerk = await demo.as('clerk')
  const target = await customer(clerk, 'Kept')
  const file = await attach(clerk, target, {
    fileName: 'kept.txt',
    contentType: 'text/plain',
    bytes: Buffer.from('kept'),
  })
  await expectAnswer(clerk('POST', '/api/notes', { body: { target, text: 'kept' } }), 201)

  const again = await restart(demo)
  const viewer = await again.as('viewer')
  const path = `/api/catalogs/trade.customer/${target.id}`
  expect(await expectAnswer(viewer('GET', path), 200)).toMatchObject({ name: 'Kept' })
  const fetched = await download(viewer, `/api/attachments/${file.id}/download`)
  expect(await fetched.text()).toBe('kept')
  const notes = await expectAnswer(viewer('GET', `/api/notes?${targetQuery(target)}`), 200)
  expect(notes.items).toMatchObject([{ text: 'kept' }])
  const all = await expectAnswer(viewer('GET', '/api/catalogs/trade.customer?limit=100'), 200)
  expect(all.items).toHaveLength(21)

  const empty = await restart(again, ['--reset'])
  await expectAnswer((await empty.as('viewer'))('GET', path), 404, 'catalogs.not_found')
})

test('with a parent directory that only its owner can enter, a demo prints all data directories, and --reset empties them', async () => {
  // The demo gives PostgreSQL's user access to DEMO_DATA_DIR, but not to this parent directory.
  const closed = await dataFolder()
  onTestFinished(() => closed.remove())
  const directory = join(closed.path, 'demo')
  onTestFinished(() => removePostgresData(join(directory, 'postgres')))
  const start = (argv: readonly string[] = []) => open(argv, { DEMO_DATA_DIR: directory })

  const demo = await start()
  const moved = process.getuid?.() === 0 ? [await readlink(join(directory, 'postgres', 'moved-to'))] : []
  expect(demo.stdout()).toContain(`  Data       ${[directory, ...moved].join(' and ')}; pnpm demo --reset`)
  const target = await customer(await demo.as('clerk'), 'Kept')
  expect(await demo.stop()).toBe(0)

  const again = await start()
  const path = `/api/catalogs/trade.customer/${target.id}`
  expect(await expectAnswer((await again.as('viewer'))('GET', path), 200)).toMatchObject({ name: 'Kept' })
  expect(await again.stop()).toBe(0)

  const empty = await start(['--reset'])
  await expectAnswer((await empty.as('viewer'))('GET', path), 404, 'catalogs.not_found')
  for (const folder of moved) await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('if a role was removed from a user, the user does not have the role after a restart', async () => {
  const demo = await open()
  const admin = await demo.as('admin')
  const { items } = await expectAnswer(admin('GET', '/api/security/users?limit=100'), 200)
  const clerk2 = items.find((user) => user['subject'] === 'clerk2')
  await expectAnswer(admin('PUT', `/api/security/users/${clerk2?.id}/roles`, { body: { roleIds: [] } }), 200)
  const again = await restart(demo)
  const request = (await again.as('clerk2'))('GET', '/api/security/me/access')
  expect(await expectAnswer(request, 200)).toMatchObject({ roles: [] })
})

test('after a restart, an open page reconnects, shows the same tasks and receives later changes', async () => {
  const ports = { PORT: String(await freePort()), IDENTITY_PORT: String(await freePort()) }
  const demo = await open([], ports)
  const token = await accessToken(demo.issuer, 'clerk')
  const page = await openPage({ url: demo.url, request: await demo.as('clerk'), token: async () => token })
  const invoice = await postedInvoice(page.request)
  const task = await page.item('tasks', about(invoice))
  await page.isCurrent()
  const before = await page.summary()

  expect(await demo.stop()).toBe(0)
  await open([], ports)
  await page.until(() => page.events.includes('reconnected') || undefined)
  expect(page.events).toEqual(['reconnecting', 'reconnected'])
  expect(await page.summary()).toEqual(before)
  expect(await page.item('tasks', about(invoice))).toEqual(task)
  await act(page.request, invoice, 'unpost')
  expect(await page.item('completed', about(invoice))).toMatchObject({ taskStatus: 'Cancelled' })
  const after = await page.summary()
  expect(after.version).toBeGreaterThan(before.version)
})
