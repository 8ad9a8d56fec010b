import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { accessToken } from '../demo-process.ts'
import { targetQuery } from '../uploads.ts'
import { type AttachmentsStage, openAttachmentsStage } from './attachments-stage.ts'
import { test, tolerate } from './harness.ts'

let stage: AttachmentsStage
let bundle: string

beforeAll(async () => {
  ;[stage, bundle] = await Promise.all([openAttachmentsStage(), buildBundle()])
})
afterAll(() => stage?.close())

/** The source of a page that uses Uppy like a vertical would use it. */
const source = `
  import AwsS3 from '@uppy/aws-s3'
  import Uppy from '@uppy/core'
  import { createClient } from '@vertical-kit/ui-client'
  import { completeUppyUploads, uppyAwsS3Options } from '@vertical-kit/ui-client/uppy'

  globalThis.uploadWithUppy = async ({ token, target, files }) => {
    const client = createClient({ accessToken: () => token })
    const uppy = new Uppy({ autoProceed: false }).use(AwsS3, uppyAwsS3Options(client, target))
    completeUppyUploads(uppy, client)
    for (const { name, type, text } of files) uppy.addFile({ name, type, data: new File([text], name, { type }) })
    const outcome = ({ successful, failed }) => ({
      successful: successful.map(({ name }) => name),
      failed: failed.map(({ name, error }) => [name, error]),
    })
    const first = outcome(await uppy.upload())
    return { first, second: first.failed.length === 0 ? null : outcome(await uppy.retryAll()) }
  }
`

async function buildBundle(): Promise<string> {
  const root = fileURLToPath(new URL('../../../../packages/ui-client', import.meta.url))
  const entry = 'virtual:uppy'
  const result = await build({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@vertical-kit/source', 'module', 'browser', 'production'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? `${root}/test/${entry}` : undefined),
        load: (id) => (id.endsWith(entry) ? source : undefined),
      },
    ],
    build: { write: false, target: 'es2024', rolldownOptions: { input: entry, output: { format: 'iife' } } },
  })
  const { output } = result as Rolldown.RolldownOutput
  return output[0].code
}

async function upload(
  user: string,
  files: readonly { name: string; type: string; text: string }[],
  prepare: (page: Page) => Promise<void> = async () => {},
) {
  const target = await stage.newTarget()
  const page = await stage.open()
  const token = await accessToken(stage.demo.issuer, user)
  await prepare(page)
  await page.evaluate(bundle)
  const outcome = await page.evaluate(`uploadWithUppy(${JSON.stringify({ token, target, files })})`)
  const request = await stage.demo.as('clerk')
  const { items } = await expectAnswer(request('GET', `/api/attachments?${targetQuery(target)}`), 200)
  return { outcome, items }
}

const oneFile = [{ name: 'a.txt', type: 'text/plain', text: 'one' }]
const transferCount = () => stage.proxy.heads.filter((head) => head.startsWith('PUT')).length

test('Uppy sends files directly to the store, and the service verifies each file before the file is ready', async () => {
  const { outcome, items } = await upload('clerk', [
    { name: 'a.txt', type: 'text/plain', text: 'one' },
    { name: 'b.json', type: 'application/json', text: '{}' },
    { name: 'empty', type: '', text: '' },
  ])
  expect(outcome).toEqual({ first: { successful: ['a.txt', 'b.json', 'empty'], failed: [] }, second: null })
  expect(items.map(({ fileName, status }) => [fileName, status]).toSorted()).toEqual([
    ['a.txt', 'ready'],
    ['b.json', 'ready'],
    ['empty', 'ready'],
  ])
})

test('Uppy reports a failed upload if the service refuses the upload', async () => {
  const { outcome, items } = await upload('viewer', oneFile, async (page) => tolerate(page, /403|permission/))
  expect(outcome).toMatchObject({ first: { successful: [], failed: [['a.txt', expect.any(String)]] } })
  expect(items).toEqual([])
})

test('if the request to verify a file fails, the upload fails, and trying again only repeats the verification', async () => {
  const before = transferCount()
  // Abort four requests, because the client makes four attempts before the upload fails.
  const { outcome, items } = await upload('clerk', oneFile, async (page) => {
    tolerate(page, /net::ERR_FAILED|cannot be reached/)
    await page.route('**/complete', (route) => route.abort(), { times: 4 })
  })
  expect(outcome).toMatchObject({ first: { successful: [] }, second: { successful: ['a.txt'], failed: [] } })
  expect(items.map(({ fileName }) => fileName)).toEqual(['a.txt'])
  expect(transferCount()).toBe(before + 1)
})

test('if the reservation of a file is deleted, the upload fails, and trying again sends the file again', async () => {
  const before = transferCount()
  const clerk = await stage.demo.as('clerk')
  const { outcome, items } = await upload('clerk', oneFile, async (page) => {
    tolerate(page, /409|was deleted/)
    await page.route(
      '**/complete',
      async (route) => {
        const id = new URL(route.request().url()).pathname.split('/').at(-2)
        await expectAnswer(clerk('DELETE', `/api/attachments/${id}`), 204)
        await route.continue()
      },
      { times: 1 },
    )
  })
  expect(outcome).toMatchObject({ first: { successful: [] }, second: { successful: ['a.txt'], failed: [] } })
  expect(items.map(({ fileName }) => fileName)).toEqual(['a.txt'])
  expect(transferCount()).toBe(before + 2)
})
