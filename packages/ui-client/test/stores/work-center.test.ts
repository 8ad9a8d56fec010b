import type { DocumentReference, WorkCenterItem } from '@vertical-kit/ui-client'
import {
  documentTasksStore,
  type ListState,
  realtimeStore,
  type WorkCenterStore,
  workCenterStore,
} from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Deployment, type Host, openDeployment } from '../host/deployment.ts'
import { act, postedInvoice, type SignedIn, signIn } from '../signed-in.ts'
import { until } from './until.ts'

let deployment: Deployment
let host: Host

beforeAll(async () => {
  deployment = await openDeployment()
  host = await deployment.openHost()
})
afterAll(() => deployment.close())

const taskOf = ({ items }: ListState<WorkCenterItem>, { id }: DocumentReference) =>
  items.find(({ source }) => source.entityId === id)

/** Resolves with the task for a document as soon as the store lists the task. */
async function task({ $lists }: WorkCenterStore, document: DocumentReference): Promise<WorkCenterItem> {
  const list = await until($lists.attention, (rows) => taskOf(rows, document) !== undefined)
  return taskOf(list, document) as WorkCenterItem
}

const invoice = ({ client }: SignedIn) => postedInvoice(host, client)

const open = async (user: string, at = host) => {
  const desk = await signIn(at, user)
  const store = workCenterStore(desk.session)
  await store.open('attention')
  return { ...desk, store }
}

/** Signs a user in. While `isDown` is set, lists of items fail; the counts and the hub work. `connected`: the hub has reported. */
async function openBreakable(user: string) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const desk = await signIn(host, user, {
    fetch: async (input, init) =>
      breakable.isDown && String(input).includes('/items')
        ? Response.json({ code: 'internal' }, { status: 500 })
        : fetch(input, init),
  })
  const connected = Promise.withResolvers<void>()
  realtimeStore(desk.session).listen(
    (version) => version !== null && connected.resolve(),
    desk.session.signal,
  )
  const breakable = { ...desk, isDown: false, connected: connected.promise }
  return breakable
}

const summaries = (lines: readonly string[]) =>
  lines.filter((line) => line.endsWith('/work-center/summary')).length

describe('updates', () => {
  test('a posted invoice appears automatically in the lists and counts of both clerks', async () => {
    const [clerk, clerk2] = await Promise.all([open('clerk'), open('clerk2')])
    const before = clerk2.store.$summary.get().summary?.attentionCount ?? 0
    const posted = await invoice(clerk)
    await Promise.all([task(clerk.store, posted), task(clerk2.store, posted)])
    expect(clerk2.store.$summary.get().summary?.attentionCount).toBe(before + 1)
  })

  test('a hub message with the version that is already shown causes no request', async () => {
    const { store, session, gate } = await open('clerk')
    const posted = await invoice(await signIn(host, 'clerk2'))
    await task(store, posted)
    const { version } = store.$summary.get().summary ?? { version: 0 }
    const before = summaries(gate.sent)
    const received = Promise.withResolvers<void>()
    const late = await signIn(host, 'clerk')
    // The hub sends the version to each new connection immediately. The older connection received the version earlier.
    const onVersion = (sent: number | null) => sent === version && received.resolve()
    realtimeStore(late.session).listen(onVersion, late.session.signal)
    await received.promise
    expect(summaries(gate.sent)).toBe(before)
    session.close()
  })

  test('any number of changes during a refresh causes one further refresh', async () => {
    const { store, session, gate } = await open('clerk')
    const hold = gate.hold(/\/work-center\/summary$/)
    session.announce({ kind: 'workCenter' })
    await hold.reached
    const before = summaries(gate.sent)
    for (let count = 0; count < 20; count += 1) session.announce({ kind: 'workCenter' })
    const refreshed = store.load()
    hold.release()
    await refreshed
    expect(summaries(gate.sent)).toBe(before + 1)
  })

  test('if the database has lost commits, the store shows its lower version, and then later ones', async () => {
    const replays: string[] = []
    const restored: typeof fetch = async (input, init) => {
      const replayed = String(input).endsWith('/summary') ? replays.pop() : undefined
      return replayed === undefined ? fetch(input, init) : new Response(replayed)
    }
    const clerk = await signIn(host, 'clerk', { fetch: restored })
    const store = workCenterStore(clerk.session)
    await store.open('attention')
    const { summary } = store.$summary.get()
    await task(store, await invoice(clerk))
    replays.push(JSON.stringify(summary))
    await store.load()
    expect(store.$summary.get().summary).toEqual(summary)
    await task(store, await invoice(clerk))
    expect(store.$summary.get().summary?.version).toBeGreaterThan(summary?.version ?? 0)
  })
})

describe('changes', () => {
  test('when two users claim a task, one succeeds, and the other sees a notice instead of the row', async () => {
    const [clerk, clerk2] = await Promise.all([open('clerk'), open('clerk2')])
    const posted = await invoice(clerk)
    const [mine, theirs] = await Promise.all([task(clerk.store, posted), task(clerk2.store, posted)])
    await clerk.store.claim(mine)
    await clerk2.store.claim(theirs)
    expect(clerk2.store.$notice.get()).toEqual({ reason: 'claimed', item: theirs })
    expect(taskOf(clerk2.store.$lists.attention.get(), posted)).toBeUndefined()
    const kept = taskOf(clerk.store.$lists.attention.get(), posted)
    expect(kept).toMatchObject({ taskStatus: 'InProgress', version: mine.version + 1 })
    expect(clerk.store.$notice.get()).toBeNull()
    expect(clerk2.store.$rows.get().size).toBe(0)
  })

  test('a row is pending during a change, and another change of the row is ignored', async () => {
    const clerk = await open('clerk')
    const item = await task(clerk.store, await invoice(clerk))
    const hold = clerk.gate.hold(/\/claim$/)
    const claimed = clerk.store.claim(item)
    await hold.reached
    expect(clerk.store.$rows.get().get(item.id)).toEqual({ status: 'pending', verb: 'claim' })
    await clerk.store.read(item)
    hold.release()
    await claimed
    expect(clerk.gate.sent.filter((line) => line.endsWith('/read'))).toEqual([])
    expect(clerk.store.$rows.get().has(item.id)).toBe(false)
  })

  test('a page that was requested before a change does not restore the row that the change removed', async () => {
    const clerk = await open('clerk')
    const item = await task(clerk.store, await invoice(clerk))
    const hold = clerk.gate.hold(/\/work-center\/items$/)
    const refreshed = clerk.store.load()
    const page = (await (await hold.reached).json()) as { items: WorkCenterItem[] }
    expect(page.items.map(({ id }) => id)).toContain(item.id)
    await clerk.store.snooze(item, new Date(Date.now() + 3_600_000).toISOString())
    hold.release()
    const seen: boolean[] = []
    clerk.store.$lists.attention.listen(({ items }) => seen.push(items.some(({ id }) => id === item.id)))
    await refreshed
    expect(seen).not.toContain(true)
  })

  test('a snoozed task is hidden in "attention" but shown in "tasks", until the user ends the snooze', async () => {
    const clerk = await open('clerk')
    const item = await task(clerk.store, await invoice(clerk))
    await clerk.store.snooze(item, '2099-01-31T08:00:00.000Z')
    expect(clerk.store.$lists.attention.get().items.some(({ id }) => id === item.id)).toBe(false)
    await clerk.store.open('tasks')
    const snoozed = clerk.store.$lists.tasks.get().items.find(({ id }) => id === item.id)
    expect(snoozed?.snoozedUntilUtc).toBe('2099-01-31T08:00:00.000Z')
    await clerk.store.snooze(snoozed as WorkCenterItem, null)
    await clerk.store.open('attention')
    await until(clerk.store.$lists.attention, ({ items }) => items.some(({ id }) => id === item.id))
  })

  test('the row of an item shows the error of an invalid request', async () => {
    const clerk = await open('clerk')
    const item = await task(clerk.store, await invoice(clerk))
    await clerk.store.snooze(item, 'tomorrow')
    const row = clerk.store.$rows.get().get(item.id)
    expect(row).toMatchObject({ status: 'failed', verb: 'snooze', error: { code: 'request.invalid' } })
  })

  test('an item that no longer exists is removed, and a notice is shown', async () => {
    const clerk = await open('clerk')
    const item = await task(clerk.store, await invoice(clerk))
    const gone = { ...item, id: '00000000-0000-7000-8000-000000000000' }
    await clerk.store.read(gone)
    expect(clerk.store.$notice.get()).toEqual({ reason: 'gone', item: gone })
  })
})

describe('lists', () => {
  test('if a page cannot be loaded, the rows stay, and the page can be requested again', async () => {
    const clerk = await open('clerk')
    const before = clerk.store.$summary.get().summary?.attentionCount ?? 0
    for (let count = before; count < 31; count += 1) await invoice(clerk)
    await until(clerk.store.$summary, ({ summary }) => (summary?.attentionCount ?? 0) >= 31)
    const away = await deployment.openHost()
    const other = await open('clerk', away)
    const { items, hasMore } = other.store.$lists.attention.get()
    expect(hasMore).toBe(true)
    await away.close()
    await other.store.loadMore()
    const failed = { status: 'moreFailed', items, error: { code: 'client.unreachable' } }
    expect(other.store.$lists.attention.get()).toMatchObject(failed)
    await deployment.openHost({ PORT: new URL(away.url).port })
    await other.store.loadMore()
    expect(other.store.$lists.attention.get().items.length).toBeGreaterThan(items.length)
  })

  test.each(['shown', 'opened'] as const)(
    'a list that could not be loaded when it was %s is loaded by the next poll, although the counts are current',
    async (when) => {
      const desk = await openBreakable('clerk')
      const store = workCenterStore(desk.session)
      await store.open('attention')
      await desk.connected
      desk.isDown = true
      await (when === 'shown' ? store.load() : store.open('tasks'))
      const $list = when === 'shown' ? store.$lists.attention : store.$lists.tasks
      expect($list.get().status).toBe('failed')
      expect(store.$summary.get().status).toBe('ready')
      desk.isDown = false
      vi.advanceTimersByTime(30_000)
      await until($list, ({ status }) => status === 'ready')
    },
  )

  test('the tasks of a document that could not be loaded are loaded by the next poll', async () => {
    const [desk, other] = await Promise.all([openBreakable('clerk'), open('clerk')])
    const draft = await host.addInvoice()
    const store = documentTasksStore(desk.session, draft)
    await store.load()
    await desk.connected
    desk.isDown = true
    await act(other.client, draft, { code: 'post' })
    // The hub has reported the task to all pages of the user.
    await task(other.store, draft)
    await until(store.$state, ({ status }) => status === 'failed')
    desk.isDown = false
    vi.advanceTimersByTime(30_000)
    await until(store.$state, ({ tasks }) => tasks.length === 1)
    expect(store.$state.get().status).toBe('ready')
  })

  test('when the filters change, the list is emptied, and the service applies the new filters', async () => {
    const clerk = await open('clerk')
    await task(clerk.store, await invoice(clerk))
    const opened = clerk.store.open('attention', { filters: { priority: 'Low' } })
    expect(clerk.store.$lists.attention.get().items).toEqual([])
    await opened
    expect(clerk.store.$lists.attention.get()).toMatchObject({ status: 'ready', items: [] })
    await clerk.store.open('attention', { filters: { priority: 'High' } })
    expect(clerk.store.$lists.attention.get().items.length).toBeGreaterThan(0)
  })
})

test('a closed session shows neither loaded data nor late responses', async () => {
  const clerk = await open('clerk')
  await task(clerk.store, await invoice(clerk))
  const hold = clerk.gate.hold(/\/work-center\/summary$/)
  const refreshed = clerk.store.load()
  await hold.reached
  clerk.session.close()
  hold.release()
  await refreshed
  expect(clerk.store.$summary.get()).toEqual({ status: 'idle', summary: null })
  expect(clerk.store.$lists.attention.get().items).toEqual([])
  expect(clerk.store.$realtime.get()).toBe('off')
})
