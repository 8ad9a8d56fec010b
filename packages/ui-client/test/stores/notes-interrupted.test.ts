import { accessStore, newNote, notesStore, openSession } from '@vertical-kit/ui-client/stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Host, openHost } from '../host/deployment.ts'
import { held } from '../network/faulty-network.ts'
import { sent } from '../signed-in.ts'
import { editorOf, first, openNotes, shownTexts, storedTexts } from './notes-stage.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(() => host.close())

/** A storage of texts like that of a browser, whose own properties are the names of the texts. */
function keptTexts() {
  const texts: Record<string, string> = {}
  const method = (value: unknown) => ({ value, enumerable: false })
  return Object.defineProperties(texts, {
    getItem: method((name: string) => texts[name] ?? null),
    setItem: method((name: string, text: string) => {
      texts[name] = text
    }),
    removeItem: method((name: string) => {
      delete texts[name]
    }),
  })
}

const open = (...texts: readonly string[]) => openNotes(host, ...texts)

describe('after a lost response', () => {
  test('a retry does not add a second note if the first attempt succeeded', async () => {
    const { target, mine } = await open('Called, no answer.')
    mine.network.next('/api/notes', 'lose answer')
    mine.notes.write(newNote, 'Called, no answer.')
    await mine.notes.save(newNote)
    expect(editorOf(mine, newNote)).toMatchObject({ status: 'failed', error: { code: 'client.unreachable' } })
    await mine.notes.save(newNote)
    expect(mine.notes.$editors.get().size).toBe(0)
    expect(shownTexts(mine)).toEqual(['Called, no answer.', 'Called, no answer.'])
    expect(await storedTexts(mine, target)).toHaveLength(2)
  })

  test('a retry adds a missing note even if an older note has the same text', async () => {
    const { target, mine } = await open('same', ...Array.from({ length: 25 }, (_, index) => `note ${index}`))
    await Promise.all(mine.notes.$list.get().items.slice(0, 3).map(mine.notes.delete))
    mine.network.next('/api/notes', 'cut before')
    mine.notes.write(newNote, 'same')
    await mine.notes.save(newNote)
    await mine.notes.save(newNote)
    expect((await storedTexts(mine, target)).filter((text) => text === 'same')).toHaveLength(2)
  })

  test('a note of another user, or one that could not be read before, is not taken for the lost one', async () => {
    const { target, mine, theirs } = await open()
    await accessStore(mine.session).load()
    await theirs.client.notes.create({ target, text: 'ok' })
    mine.network.next('/api/notes', 'cut before')
    mine.notes.write(newNote, 'ok')
    await mine.notes.save(newNote)
    await mine.notes.save(newNote)
    expect(await storedTexts(mine, target)).toEqual(['ok', 'ok'])

    const later = notesStore(mine.session, target)
    const unreachable = Array.from({ length: 8 }, () => 'cut before' as const)
    mine.network.next('/api/notes?', ...unreachable)
    await later.load()
    later.write(newNote, 'ok')
    expect(await later.save(newNote)).toBeNull()
    expect(later.$editors.get().get(newNote)).toMatchObject({ status: 'failed' })
    await later.save(newNote)
    expect(await storedTexts(mine, target)).toEqual(['ok', 'ok', 'ok'])
  })

  test('a panel that is opened later does not add the note again', async () => {
    vi.stubGlobal('localStorage', keptTexts())
    onTestFinished(() => void vi.unstubAllGlobals())
    const { target, mine } = await open('older')
    const added = held()
    mine.network.next('/api/notes', added)
    mine.notes.write(newNote, 'once')
    const pending = mine.notes.save(newNote)
    await added.arrived
    const later = notesStore(mine.session, target)
    mine.notes.dispose()
    added.letGo()
    await pending
    expect(later.$editors.get().get(newNote)).toEqual({ status: 'editing', text: 'once' })
    await later.save(newNote)
    expect(later.$editors.get().size).toBe(0)
    expect(await storedTexts(mine, target)).toEqual(['once', 'older'])
  })

  test('a panel that is opened during the addition joins it', async () => {
    vi.stubGlobal('localStorage', keptTexts())
    onTestFinished(() => void vi.unstubAllGlobals())
    const { target, mine } = await open('older')
    mine.notes.write(newNote, 'once')
    const pending = mine.notes.save(newNote)
    const later = notesStore(mine.session, target)
    mine.notes.dispose()
    const joined = later.save(newNote)
    await pending
    expect(await joined).toMatchObject({ text: 'once' })
    expect(later.$editors.get().size).toBe(0)
    // The same text is another note now.
    later.write(newNote, 'once')
    await later.save(newNote)
    expect(await storedTexts(mine, target)).toEqual(['once', 'once', 'older'])
  })

  test('the same text is another note after an addition whose panel was closed', async () => {
    vi.stubGlobal('localStorage', keptTexts())
    onTestFinished(() => void vi.unstubAllGlobals())
    const { target, mine } = await open('older')
    mine.notes.write(newNote, 'again')
    const pending = mine.notes.save(newNote)
    mine.notes.dispose()
    await pending
    const later = notesStore(mine.session, target)
    later.write(newNote, 'again')
    await later.save(newNote)
    expect(await storedTexts(mine, target)).toEqual(['again', 'again', 'older'])
  })

  test('a note is added although an older one has the same text and the panel was closed before the attempt', async () => {
    vi.stubGlobal('localStorage', keptTexts())
    onTestFinished(() => void vi.unstubAllGlobals())
    const { target, mine } = await open('called, no answer')
    // Only the addition is lost, not a request that reads the notes before.
    mine.network.next('/api/notes?', 'pass')
    mine.network.next('/api/notes', 'cut before')
    mine.notes.write(newNote, 'called, no answer')
    const pending = mine.notes.save(newNote)
    mine.notes.dispose()
    await pending
    expect(await storedTexts(mine, target)).toHaveLength(1)
    const later = notesStore(mine.session, target)
    await later.save(newNote)
    expect(later.$editors.get().size).toBe(0)
    expect(await storedTexts(mine, target)).toEqual(['called, no answer', 'called, no answer'])
  })

  test('a note is not sent again while the store cannot check whether the first attempt added the note', async () => {
    const { target, mine } = await open()
    mine.network.next('/api/notes', 'lose answer', 'cut before', 'cut before', 'cut before', 'cut before')
    mine.notes.write(newNote, 'once')
    await mine.notes.save(newNote)
    await mine.notes.save(newNote)
    expect(editorOf(mine, newNote)).toMatchObject({ status: 'failed', text: 'once' })
    await mine.notes.save(newNote)
    expect(await storedTexts(mine, target)).toEqual(['once'])
  })

  test('an error page of a proxy does not prove that the service refused the note', async () => {
    const { target, mine } = await open()
    mine.notes.write(newNote, 'once')
    const { client, network, notes } = mine
    // The service adds the note, but a proxy's page arrives instead of the response.
    await client.notes.create({ target, text: 'once' })
    network.next('/api/notes', {
      status: 504,
      headers: { 'Content-Type': 'text/html' },
      body: '<h1>504</h1>',
    })
    await notes.save(newNote)
    await notes.save(newNote)
    expect(await storedTexts(mine, target)).toEqual(['once'])
  })

  test('a retry of an edit that was already saved is not a conflict', async () => {
    const { mine } = await open('as it was')
    const { id } = first(mine)
    mine.network.next('/api/notes', 'cut body')
    mine.notes.write(id, 'edited')
    await mine.notes.save(id)
    expect(editorOf(mine, id)).toMatchObject({ status: 'failed', text: 'edited' })
    await mine.notes.save(id)
    expect(mine.notes.$editors.get().size).toBe(0)
    expect(first(mine)).toMatchObject({ text: 'edited', version: 2 })
  })

  test('a conflict counts as a failure if the other version cannot be loaded, and the editor keeps the text', async () => {
    const { mine, theirs } = await open('as it was')
    const { id } = first(mine)
    mine.notes.write(id, 'mine')
    theirs.notes.write(id, 'theirs')
    await theirs.notes.save(id)
    mine.network.next('/api/notes?', 'cut before', 'cut before', 'cut before', 'cut before')
    await mine.notes.save(id)
    expect(editorOf(mine, id)).toMatchObject({ status: 'failed', text: 'mine' })
    await mine.notes.save(id)
    expect(editorOf(mine, id)).toMatchObject({ status: 'conflict', theirs: { text: 'theirs' } })
  })
})

describe('at the end of a session or store', () => {
  test('a store shows nothing, even if responses arrive later', async () => {
    const { mine } = await open('secret')
    mine.notes.write(first(mine).id, 'begun')
    const [list, added] = [held(), held()]
    mine.network.next('/api/notes?', list)
    mine.network.next('/api/notes', added)
    const load = mine.notes.load()
    mine.notes.write(newNote, 'sent')
    const save = mine.notes.save(newNote)
    await Promise.all([list.arrived, added.arrived])
    mine.session.close()
    for (const answer of [list, added]) answer.letGo()
    await Promise.all([load, save])
    mine.notes.write(newNote, 'after the end')
    await mine.notes.load()
    expect(mine.notes.$list.get()).toMatchObject({ status: 'idle', items: [] })
    expect(mine.notes.$editors.get().size).toBe(0)
    expect(mine.notes.$list.get().error).toBeNull()
  })

  test('a store of a closed session sends no requests', async () => {
    const { target, mine } = await open('secret')
    mine.session.close()
    mine.network.seen.length = 0
    const late = notesStore(mine.session, target)
    await late.load()
    expect(late.$list.get().status).toBe('idle')
    expect(mine.network.seen).toEqual([])
  })

  test('a disposed store completes pending changes and announces them', async () => {
    const { target, mine } = await open('to go')
    const [deleted, added] = [held(), held()]
    mine.network.next(`/api/notes/${first(mine).id}`, deleted)
    mine.network.next('/api/notes', added)
    mine.notes.write(newNote, 'sent')
    const pending = [sent(mine.notes.delete(first(mine))), mine.notes.save(newNote)]
    await Promise.all([deleted.arrived, added.arrived])
    mine.notes.dispose()
    const changes: unknown[] = []
    mine.session.listen((change) => changes.push(change), mine.session.signal)
    for (const answer of [deleted, added]) answer.letGo()
    await Promise.all(pending)
    expect(changes).toEqual([
      { kind: 'content', target },
      { kind: 'content', target },
    ])
    expect(shownTexts(mine)).toEqual([])
    expect(await storedTexts(mine, target)).toEqual(['sent'])
  })

  test('a disposed store does not affect other stores', async () => {
    const { target, mine } = await open('here')
    const other = notesStore(openSession({ client: mine.client, userId: 'clerk' }), target)
    mine.notes.dispose()
    await Promise.all([mine.notes.load(), other.load()])
    expect(shownTexts(mine)).toEqual([])
    expect(other.$list.get().items).toHaveLength(1)
  })
})
