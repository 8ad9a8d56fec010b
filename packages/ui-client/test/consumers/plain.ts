// A page without a framework that can run in Node: it imports the elements but does not render them.
import { type BusinessObjectReference, createClient, isKitError } from '@vertical-kit/ui-client'
import { type DoneDetail, defineElements, NotesPanel, setTexts } from '@vertical-kit/ui-client/elements'
import { en } from '@vertical-kit/ui-client/locales/en'
import { type ListState, notesStore, openSession } from '@vertical-kit/ui-client/stores'

const [baseUrl = '', token = '', id = ''] = process.argv.slice(2)
const client = createClient({ baseUrl, accessToken: () => token })
const session = openSession({ client, userId: 'clerk' })
const target: BusinessObjectReference = { kind: 'Document', typeCode: 'trade.sales_invoice', id }

const notes = notesStore(session, target)
const show = ({ status, items }: ListState<{ text: string }>) =>
  `${status}: ${items.map(({ text }) => text).join(', ')}`
const stop = notes.$list.subscribe((list) => {
  if (list.status === 'ready') console.log(show(list))
})
await notes.load()
stop()

setTexts({ common: { retry: 'Noch einmal' }, locale: 'de' })
const panel: typeof HTMLElement = NotesPanel
console.log(panel.name, typeof defineElements, en.common.retry)

const refused: unknown = await client.notes
  .list({ target: { ...target, id: 'none' } })
  .catch((error) => error)
if (isKitError(refused, 'request.invalid')) console.log(refused.errors[0]?.path)
session.close()

/** `addEventListener` knows the details of the events. */
export function follow(notes: HTMLElementTagNameMap['vk-notes'], undone: (text: string) => void): void {
  notes.addEventListener('vk-done', (event) => {
    const { detail } = event
    if (detail.kind === 'noteAdded') console.log(detail.note.text.length)
    // @ts-expect-error A deleted note has no result.
    if (detail.kind === 'noteDeleted') console.log(detail.result)
    if (detail.undo !== null) detail.undo()
    event.preventDefault()
  })
  document.addEventListener('vk-done', ({ detail }: CustomEvent<DoneDetail>) => undone(detail.text))
  window.addEventListener('vk-navigate', ({ detail }) => console.log(detail.parameters['id'], detail.code))
  notes.shadowRoot?.addEventListener('vk-open', ({ detail }) => console.log(detail.fileName))
  notes.session = null
  // @ts-expect-error The ids of a batch are texts.
  document.addEventListener('vk-batch-done', ({ detail }) => detail.map((id) => id * 2))
}
