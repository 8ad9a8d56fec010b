import { accessStore, contentSummaryStore, featuresStore, openSession } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { held, openFaultyNetwork } from '../network/faulty-network.ts'
import { signIn, targetOf } from '../signed-in.ts'

let host: Host

beforeAll(async () => {
  host = await openHost({ FeatureManagement__Attachments: 'false' })
})
afterAll(() => host.close())

async function open(user = 'clerk') {
  const network = await openFaultyNetwork(host.url)
  const signedIn = await signIn(host, user, { url: network.url })
  return { network, ...signedIn, target: targetOf(await host.addInvoice()) }
}

const down = ['cut before', 'cut before', 'cut before', 'cut before'] as const

test('features are on only if the deployment enables them, and unknown features are off', async () => {
  const { session } = await open()
  const features = featuresStore(session)
  expect(features.isEnabled('Notes')).toBe(false)
  await features.load()
  expect(features.$state.get().status).toBe('ready')
  expect(['Notes', 'Attachments', 'notes', 'Unknown'].map(features.isEnabled)).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('readers of one session share one store and one request', async () => {
  const { network, session } = await open()
  const answer = held()
  network.next('/api/features', answer)
  const loads = [featuresStore(session).load(), featuresStore(session).load()]
  await answer.arrived
  loads.push(featuresStore(session).load())
  answer.letGo()
  await Promise.all(loads)
  expect(network.seen).toHaveLength(1)
})

test('a reader cannot dispose a store that all readers share', async () => {
  const { session } = await open()
  expect(featuresStore(session)).not.toHaveProperty('dispose')
  expect(accessStore(session)).not.toHaveProperty('dispose')
})

test('loaded features are kept for 30 seconds, and a later load requests them again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { network, session } = await open()
    const { load } = featuresStore(session)
    await load()
    vi.advanceTimersByTime(29_999)
    await load()
    expect(network.seen).toHaveLength(1)
    vi.advanceTimersByTime(1)
    await load()
    expect(network.seen).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

test('a failed load disables every feature, and the next load sends another request', async () => {
  const { network, session } = await open()
  network.next('/api/features', ...down)
  const features = featuresStore(session)
  await features.load()
  expect(features.$state.get()).toMatchObject({ status: 'failed', error: { code: 'client.unreachable' } })
  expect(features.isEnabled('Notes')).toBe(false)
  await features.load()
  expect(features.isEnabled('Notes')).toBe(true)
})

test('a later load that fails keeps the features and the permissions', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { network, session } = await open()
    const [features, access] = [featuresStore(session), accessStore(session)]
    await Promise.all([features.load(), access.load()])
    vi.advanceTimersByTime(30_000)
    network.next('/api/features', ...down)
    network.next('/api/security/me/access', ...down)
    await Promise.all([features.load(), access.load()])
    expect(network.seen.length).toBeGreaterThan(2)
    expect([features.$state.get().status, access.$state.get().status]).toEqual(['ready', 'ready'])
    expect([features.isEnabled('Notes'), access.may('system.notes.create')]).toEqual([true, true])
  } finally {
    vi.useRealTimers()
  }
})

test('a service without the features endpoint has no features', async () => {
  const { network, session } = await open()
  network.next('/api/features', { status: 404, body: 'Not Found' })
  const features = featuresStore(session)
  await features.load()
  expect(features.$state.get()).toEqual({ status: 'ready', features: [] })
})

test('the page of a load balancer without a host keeps the loaded features', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { network, session } = await open()
    const features = featuresStore(session)
    await features.load()
    vi.advanceTimersByTime(30_000)
    const page = { headers: { 'Content-Type': 'text/html' }, body: '<h1>default backend - 404</h1>' }
    network.next('/api/features', { status: 404, ...page })
    await features.load()
    expect(features.$state.get().status).toBe('ready')
    expect(features.isEnabled('Notes')).toBe(true)
    // It was no answer of the service, so the next load asks again.
    await features.load()
    expect(network.seen).toHaveLength(3)
  } finally {
    vi.useRealTimers()
  }
})

test('the user has no permissions until they are loaded', async () => {
  const { network, session } = await open('viewer')
  const access = accessStore(session)
  expect(access.may('system.notes.read')).toBe(false)
  network.next('/api/security/me/access', ...down)
  await access.load()
  expect(access.$state.get().status).toBe('failed')
  expect(access.may('system.notes.read')).toBe(false)
  await access.load()
  expect([access.may('system.notes.read'), access.may('system.notes.create')]).toEqual([true, false])
})

test('counts are null for a disabled feature and after a failed load', async () => {
  const { network, session, target } = await open()
  const summary = contentSummaryStore(session, target)
  await summary.load()
  expect(summary.$state.get()).toEqual({ status: 'ready', counts: { attachments: null, notes: 0 } })
  network.next('/api/business-objects', ...down)
  await summary.load()
  expect(summary.$state.get()).toMatchObject({
    status: 'failed',
    counts: { attachments: null, notes: null },
  })
})

test('counts reload only after changes to the content of their own object', async () => {
  const { network, session, target } = await open()
  const summary = contentSummaryStore(session, target)
  await summary.load()
  network.seen.length = 0
  session.announce({ kind: 'content', target: { ...target, id: '019a0000-0000-7000-8000-000000000000' } })
  session.announce({ kind: 'workCenter' })
  session.announce({ kind: 'content', target: { ...target } })
  await expect.poll(() => summary.$state.get().status).toBe('ready')
  expect(network.seen).toHaveLength(1)
})

test('a closed session has no features, and the next session loads its own features', async () => {
  const { client, session } = await open()
  const before = featuresStore(session)
  await before.load()
  session.close()
  expect(before.isEnabled('Notes')).toBe(false)
  await before.load()
  expect(before.$state.get()).toEqual({ status: 'idle', features: [] })
  const next = featuresStore(openSession({ client, userId: 'viewer' }))
  expect(next).not.toBe(before)
  await next.load()
  expect(next.isEnabled('Notes')).toBe(true)
})
