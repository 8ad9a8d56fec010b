import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { expectAnswer } from './answers.ts'
import { type Demo, dataFolder, type Request, startDemo } from './demo-process.ts'
import { attach, download, type Target, targetQuery } from './uploads.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>

beforeAll(async () => {
  folder = await dataFolder()
})
afterAll(() => folder.remove())

const open = async (argv: readonly string[] = []): Promise<Demo> => {
  const demo = await startDemo({ DEMO_DATA_DIR: folder.path }, argv)
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

test('what was there before a restart is there after it; --reset throws it away', async () => {
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

test('a role that a person took away stays away', async () => {
  const demo = await open()
  const admin = await demo.as('admin')
  const { items } = await expectAnswer(admin('GET', '/api/security/users?limit=100'), 200)
  const clerk2 = items.find((user) => user['subject'] === 'clerk2')
  await expectAnswer(admin('PUT', `/api/security/users/${clerk2?.id}/roles`, { body: { roleIds: [] } }), 200)
  const again = await restart(demo)
  const request = (await again.as('clerk2'))('GET', '/api/security/me/access')
  expect(await expectAnswer(request, 200)).toMatchObject({ roles: [] })
})
