// A page without a framework that can run in Node: it imports the elements but does not render them.
import { type BusinessObjectReference, createClient, isKitError } from '@vertical-kit/ui-client'
import { defaultTexts, defineElements, NotesPanel, setTexts } from '@vertical-kit/ui-client/elements'
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
console.log(panel.name, typeof defineElements, defaultTexts.common.retry)

const refused: unknown = await client.notes
  .list({ target: { ...target, id: 'none' } })
  .catch((error) => error)
if (isKitError(refused, 'request.invalid')) console.log(refused.errors[0]?.path)
session.close()
