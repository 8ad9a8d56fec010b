import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Host, openHost } from './host/deployment.ts'
import { type Packed, packUiClient } from './packed.ts'
import { signIn, targetOf } from './signed-in.ts'

let host: Host
let packed: Packed

beforeAll(async () => {
  ;[host, packed] = await Promise.all([openHost(), packUiClient()])
})
afterAll(() => Promise.all([host.close(), packed.close()]))

/** Resolves with the arguments of a project: the service's URL, a token, and the id of an invoice with two notes. */
async function startedWith(): Promise<readonly string[]> {
  const { client } = await signIn(host, 'clerk')
  const invoice = await host.addInvoice()
  for (const text of ['<b>first</b>', 'second']) {
    await client.notes.create({ target: targetOf(invoice), text })
  }
  return [host.url, await host.token('clerk'), invoice.id]
}

const consumer = async (name: string) => ({
  [name]: await readFile(new URL(`consumers/${name}`, import.meta.url), 'utf8'),
})

const nodeNext = { module: 'nodenext' }
const bundler = { module: 'esnext', moduleResolution: 'bundler' }

test('a project without a framework compiles with all compiler checks enabled, and runs', async () => {
  const project = await packed.project(await consumer('plain.ts'), ['lit', 'nanostores'])
  expect(await project.typeCheck(nodeNext)).toEqual([])
  expect(await project.typeCheck(bundler)).toEqual([])
  expect(await project.run('plain.ts', ...(await startedWith()))).toBe(
    'ready: second, <b>first</b>\nNotesPanel function Try again\nobjectId\n',
  )
})

test('a React project without Lit compiles, and renders the state of a store', async () => {
  const project = await packed.project(await consumer('react.ts'), [
    '@nanostores/react',
    '@types/react',
    '@types/react-dom',
    'nanostores',
    'react',
    'react-dom',
  ])
  expect(await project.typeCheck(bundler)).toEqual([])
  expect(await project.run('react.ts', ...(await startedWith()))).toBe(
    '<ul class="ready"><li>second</li><li>&lt;b&gt;first&lt;/b&gt;</li></ul>\n',
  )
})

test('a Vue project without Lit compiles, and renders the state of a store', async () => {
  const project = await packed.project(await consumer('vue.ts'), ['@nanostores/vue', 'nanostores', 'vue'])
  expect(await project.typeCheck(bundler)).toEqual([])
  expect(await project.run('vue.ts', ...(await startedWith()))).toBe(
    '<ul class="ready"><li>second</li><li>&lt;b&gt;first&lt;/b&gt;</li></ul>\n',
  )
})

test('elements in JSX accept their properties and events only', async () => {
  const names = ['@types/react', 'lit', 'nanostores', 'react']
  const project = await packed.project(await consumer('react-elements.tsx'), names)
  expect(await project.typeCheck({ ...bundler, jsx: 'react-jsx' })).toEqual([])
})

test('elements in a template of Vue accept their properties and events only', async () => {
  const project = await packed.project(await consumer('vue-elements.vue'), ['lit', 'nanostores', 'vue'])
  expect(await project.typeCheckTemplates(bundler)).toEqual([])
})

test('the packed package neither depends on a server package nor imports one', async () => {
  const { dependencies, peerDependencies } = packed.manifest
  expect(Object.keys(dependencies).toSorted()).toEqual(['@microsoft/signalr', 'client-zip', 'idb-keyval'])
  expect(Object.keys(peerDependencies).toSorted()).toEqual(['lit', 'nanostores', 'react', 'vue'])
  const imported = new Set<string>()
  for (const path of await readdir(packed.folder, { recursive: true })) {
    if (!/\.(js|ts)$/.test(path)) continue
    const text = await readFile(join(packed.folder, path), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from|import)\s*\(?\s*['"]([^.'"\s][^'"\s]*)['"]/g))
      imported.add(name)
  }
  expect([...imported].map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0]).filter(isUnexpected)).toEqual([])
})

const isUnexpected = (name: string | undefined): boolean =>
  !['@microsoft/signalr', 'client-zip', 'idb-keyval', 'lit', 'nanostores', 'react', 'vue'].includes(
    name ?? '',
  )
