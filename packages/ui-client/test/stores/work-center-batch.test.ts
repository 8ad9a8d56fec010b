import type { DocumentReference, WorkCenterItem } from '@vertical-kit/ui-client'
import { type WorkCenterChange, workCenterStore } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Deployment, type Host, openDeployment } from '../host/deployment.ts'
import { postedInvoice, signIn } from '../signed-in.ts'
import { until } from './until.ts'

let deployment: Deployment
let host: Host

beforeAll(async () => {
  deployment = await openDeployment()
  host = await deployment.openHost()
})
afterAll(() => deployment.close())

/** Opens the Work Center of a clerk, with the tasks of as many new invoices. */
async function openWith(count: number) {
  const desk = await signIn(host, 'clerk')
  const store = workCenterStore(desk.session)
  await store.open('tasks')
  const invoices: DocumentReference[] = []
  for (let n = 0; n < count; n += 1) invoices.push(await postedInvoice(host, desk.client))
  const isListed = (items: readonly WorkCenterItem[]) =>
    invoices.every(({ id }) => items.some(({ source }) => source.entityId === id))
  await until(store.$lists.tasks, ({ items }) => isListed(items))
  /** The tasks of the invoices as they are shown now. */
  const shown = () =>
    invoices.flatMap(({ id }) =>
      store.$lists.tasks.get().items.filter(({ source }) => source.entityId === id),
    )
  return { ...desk, store, shown }
}

test('a change of several items is shown in their rows, and can be undone without those it did not change', async () => {
  const { store, shown } = await openWith(3)
  const [first, ...others] = shown() as [WorkCenterItem, ...WorkCenterItem[]]
  await store.read(first)
  await store.batches.change('read', shown())
  expect(shown().map(({ isRead }) => isRead)).toEqual([true, true, true])
  const done = { status: 'done', verb: 'read', changedCount: 3, failedCount: 0, isUndoable: true }
  expect(store.batches.$batch.get()).toEqual(done)
  expect(await store.batches.undo()).toBe(true)
  expect(shown().map(({ isRead }) => isRead)).toEqual([true, false, false])
  expect(store.batches.$batch.get()).toMatchObject({ verb: 'unread', changedCount: 2, isUndoable: false })
  expect(await store.batches.undo()).toBe(false)
  expect(shown().map(({ isRead }) => isRead)).toEqual([true, false, false])
  expect(others).toHaveLength(2)
})

test('a change of several items during a refresh loads the list once more, not once for each item', async () => {
  const { store, shown, gate } = await openWith(3)
  await store.load()
  const hold = gate.hold(/^GET .*work-center\/items$/)
  const refresh = store.load()
  await hold.reached
  const before = gate.sent.length
  const summary = gate.hold(/^GET .*work-center\/summary$/)
  await store.batches.change('read', shown())
  const loads = gate.sent.slice(before).filter((line) => /^GET .*work-center\/items$/.test(line))
  expect(loads).toHaveLength(1)
  hold.release()
  summary.release()
  await refresh
  expect(shown().map(({ isRead }) => isRead)).toEqual([true, true, true])
})

test('each item succeeds or fails on its own, and only the rows of those that failed show the reason', async () => {
  const { store, shown } = await openWith(3)
  const colleague = await signIn(host, 'clerk2')
  const [mine, taken, stale] = shown() as [WorkCenterItem, WorkCenterItem, WorkCenterItem]
  await colleague.client.workCenter.claimTask(taken.id, taken.version)
  await store.batches.change('claim', [mine, taken, { ...stale, version: 9 }])
  expect(store.batches.$batch.get()).toMatchObject({ changedCount: 1, failedCount: 2, isUndoable: true })
  expect(shown().find(({ id }) => id === mine.id)).toMatchObject({ taskStatus: 'InProgress' })
  for (const { id } of [taken, stale]) {
    expect(store.$rows.get().get(id)).toMatchObject({
      status: 'failed',
      error: { code: 'work_center.task_claim_conflict' },
    })
  }
  expect(store.$rows.get().has(mine.id)).toBe(false)
  await store.batches.undo()
  expect(shown().find(({ id }) => id === mine.id)).toMatchObject({ taskStatus: 'Open' })
})

test('the change of a single item is the last change, and can be undone', async () => {
  const { store, shown } = await openWith(1)
  const task = () => shown()[0] as WorkCenterItem
  await store.claim(task())
  expect(store.batches.$batch.get()).toMatchObject({ verb: 'claim', changedCount: 1, isUndoable: true })
  await store.read(task())
  await store.batches.undo()
  expect(task()).toMatchObject({ isRead: false, taskStatus: 'InProgress' })
  await store.claim(task())
  expect(store.batches.$batch.get()).toMatchObject({ verb: 'unread', isUndoable: false })
})

test('each change is reported with its own undo, also after the view has ended', async () => {
  const { session, store: other, shown, client } = await openWith(2)
  const changes: WorkCenterChange[] = []
  const store = workCenterStore(session, { changed: (change) => changes.push(change) })
  await store.open('tasks')
  const [first, second] = shown() as [WorkCenterItem, WorkCenterItem]
  await store.visit(first)
  expect(changes).toEqual([])
  await store.claim(first)
  await store.claim(second)
  await store.batches.readAll()
  store.dispose()
  expect(changes).toMatchObject([
    { verb: 'claim', items: [{ id: first.id, taskStatus: 'InProgress' }], changedCount: 1, failedCount: 0 },
    { verb: 'claim', items: [{ id: second.id }] },
    { verb: 'read', items: null, undo: null },
  ])
  expect(await changes[0]?.undo?.()).toBeNull()
  expect(await changes[0]?.undo?.()).toBeNull()
  expect(changes.slice(3)).toMatchObject([{ verb: 'release', items: [{ id: first.id }], undo: null }])
  const { items } = await client.workCenter.items({ tab: 'tasks' })
  const statusOf = (id: string) => items.find((item) => item.id === id)?.taskStatus
  expect([statusOf(first.id), statusOf(second.id)]).toEqual(['Open', 'InProgress'])
  expect(store.batches.$batch.get()).toBeNull()
  other.dispose()
})

test('an undo that fails can be repeated', async () => {
  const { store, shown, gate } = await openWith(1)
  const task = () => shown()[0] as WorkCenterItem
  await store.claim(task())
  const reconnect = gate.cut()
  await store.batches.undo()
  expect(store.batches.$batch.get()).toMatchObject({
    status: 'failed',
    error: { code: 'client.unreachable' },
  })
  reconnect()
  await store.batches.undo()
  expect(task()).toMatchObject({ taskStatus: 'Open' })
})

test('undoing a snooze returns each task to its former time', async () => {
  const { store, shown } = await openWith(2)
  const [early] = shown() as [WorkCenterItem]
  const former = '2098-01-31T08:00:00.000Z'
  await store.snooze(early, former)
  await store.batches.change('snooze', shown(), '2099-01-31T08:00:00.000Z')
  expect(new Set(shown().map(({ snoozedUntilUtc }) => snoozedUntilUtc))).toEqual(
    new Set(['2099-01-31T08:00:00.000Z']),
  )
  await store.batches.undo()
  expect(shown().map(({ snoozedUntilUtc }) => snoozedUntilUtc)).toEqual([former, null])
})

test('a task that is released appears for the colleague again', async () => {
  const { store, shown } = await openWith(1)
  const colleague = workCenterStore((await signIn(host, 'clerk2')).session)
  await colleague.open('tasks')
  const [task] = shown() as [WorkCenterItem]
  const isThere = ({ items }: { readonly items: readonly WorkCenterItem[] }) =>
    items.some(({ id }) => id === task.id)
  await until(colleague.$lists.tasks, isThere)
  await store.claim(task)
  await until(colleague.$lists.tasks, (list) => !isThere(list))
  await store.release(shown()[0] as WorkCenterItem)
  expect(shown()).toMatchObject([{ taskStatus: 'Open', version: 3 }])
  await until(colleague.$lists.tasks, isThere)
})

test('marking all as read leaves an item unread that arrived after the list was loaded', async () => {
  const { store, shown, client, gate } = await openWith(2)
  const hold = gate.hold(/\/work-center\/summary$/)
  const later = await postedInvoice(host, client)
  await hold.reached
  // The held refresh has not loaded the list yet, so the list does not contain the new item.
  await store.batches.readAll()
  hold.release()
  const list = await until(store.$lists.tasks, ({ items }) =>
    items.some(({ source }) => source.entityId === later.id),
  )
  expect(list.items.find(({ source }) => source.entityId === later.id)?.isRead).toBe(false)
  await until(store.$lists.tasks, () => shown().every(({ isRead }) => isRead))
  expect(store.batches.$batch.get()).toMatchObject({ status: 'done', verb: 'read', isUndoable: false })
})

test('a request that fails as a whole changes no row', async () => {
  const { store, shown } = await openWith(1)
  const before = shown()
  await store.batches.change('snooze', before, 'tomorrow')
  expect(store.batches.$batch.get()).toMatchObject({ status: 'failed', error: { code: 'request.invalid' } })
  expect(shown()).toEqual(before)
  store.batches.close()
  expect(store.batches.$batch.get()).toBeNull()
})

test('a selection has at most 100 rows, and ends with the rows and with the view', async () => {
  const { store, shown } = await openWith(2)
  const ids = shown().map(({ id }) => id)
  store.select(Array.from({ length: 120 }, (_, n) => `id-${n}`))
  expect(store.$selected.get().size).toBe(100)
  await store.load()
  expect(store.$selected.get().size).toBe(0)
  store.select(ids)
  store.deselect([ids[0] ?? ''])
  expect([...store.$selected.get()]).toEqual([ids[1]])
  await store.open('attention')
  expect(store.$selected.get().size).toBe(0)
})

test('a list has the order, the search and the definition of its view', async () => {
  const { store, shown } = await openWith(2)
  const [task] = shown() as [WorkCenterItem]
  await store.open('tasks', {
    sort: 'priority',
    filters: { q: task.title.toUpperCase(), definition: task.code },
  })
  expect(store.$lists.tasks.get().items.map(({ id }) => id)).toContain(task.id)
  await store.open('tasks', { sort: 'due', filters: { definition: 'trade.unknown' } })
  expect(store.$lists.tasks.get()).toMatchObject({ status: 'ready', items: [] })
  expect((await store.definitions()).map(({ code }) => code)).toContain(task.code)
})
