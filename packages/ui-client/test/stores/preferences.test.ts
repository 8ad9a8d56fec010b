import { type PreferencesStore, preferencesStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, type Host, openDeployment } from '../host/deployment.ts'
import { signIn } from '../signed-in.ts'

let deployment: Deployment
let host: Host

beforeAll(async () => {
  deployment = await openDeployment()
  host = await deployment.openHost()
})
afterAll(() => deployment.close())

const open = async (user: string, at = host) => {
  const desk = await signIn(at, user)
  const store = preferencesStore(desk.session)
  await store.load()
  return { ...desk, store }
}
const isOn = ({ $state }: PreferencesStore, code: string) =>
  $state.get().preferences.find((preference) => preference.code === code)?.isEnabled

test('a choice is shown immediately, and the next session shows the same choice', async () => {
  const { store, gate } = await open('auditor')
  const hold = gate.hold(/preferences$/)
  const saved = store.set('trade.invoice_settled', { isEnabled: false })
  await hold.reached
  expect(store.$rows.get().get('trade.invoice_settled InApp')).toEqual({ status: 'saving', isEnabled: false })
  hold.release()
  await saved
  expect(store.$rows.get().size).toBe(0)
  expect(isOn(store, 'trade.invoice_settled')).toBe(false)
  expect(isOn((await open('auditor')).store, 'trade.invoice_settled')).toBe(false)
  await store.set('trade.invoice_settled', { isEnabled: true })
})

test('rapid choices are saved in order, and the last choice for each preference applies', async () => {
  const { store } = await open('clerk')
  await Promise.all([
    store.set('trade.collect_payment', { isEnabled: false }),
    store.set('trade.invoice_order', { isEnabled: false }),
    store.set('trade.collect_payment', { isEnabled: true }),
  ])
  expect([isOn(store, 'trade.collect_payment'), isOn(store, 'trade.invoice_order')]).toEqual([true, false])
  const later = await open('clerk')
  expect([isOn(later.store, 'trade.collect_payment'), isOn(later.store, 'trade.invoice_order')]).toEqual([
    true,
    false,
  ])
  await store.set('trade.invoice_order', { isEnabled: true })
})

test('queued choices are saved after the user has left the view, unless the session ends', async () => {
  const { store, gate, session } = await open('auditor')
  const hold = gate.hold(/^PUT .*preferences$/)
  const first = store.set('trade.invoice_settled', { isEnabled: true })
  await hold.reached
  const superseded = store.set('trade.invoice_settled', { isEnabled: true })
  const last = store.set('trade.invoice_settled', { isEnabled: false })
  store.dispose()
  hold.release()
  await Promise.all([first, superseded, last])
  expect(gate.sent.filter((line) => line.startsWith('PUT'))).toHaveLength(2)
  const next = preferencesStore(session)
  await next.load()
  expect(isOn(next, 'trade.invoice_settled')).toBe(false)
  await next.set('trade.invoice_settled', { isEnabled: true })

  const before = gate.sent.length
  const unsent = next.set('trade.invoice_settled', { isEnabled: false })
  session.close()
  await unsent
  expect(gate.sent).toHaveLength(before)
})

test('a choice that cannot be saved is undone, and the row shows the error', async () => {
  const away = await deployment.openHost()
  const { store } = await open('clerk', away)
  await away.close()
  const saved = store.set('trade.collect_payment', { isEnabled: false })
  expect(store.$rows.get().get('trade.collect_payment InApp')).toEqual({ status: 'saving', isEnabled: false })
  await saved
  expect(store.$rows.get().get('trade.collect_payment InApp')).toMatchObject({
    status: 'failed',
    error: { code: 'client.unreachable' },
  })
  expect(isOn(store, 'trade.collect_payment')).toBe(true)
})

test('a choice for a mandatory preference is never sent', async () => {
  const { store, gate } = await open('auditor')
  await store.set('trade.write_off_recorded', { isEnabled: false })
  expect(gate.sent.filter((line) => line.startsWith('PUT'))).toEqual([])
  expect(isOn(store, 'trade.write_off_recorded')).toBe(true)
})

test('users without roles have no preferences', async () => {
  const { store } = await open('outsider')
  expect(store.$state.get()).toEqual({ status: 'ready', preferences: [] })
})
