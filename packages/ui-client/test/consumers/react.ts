import { useStore } from '@nanostores/react'
import { createClient, type Note } from '@vertical-kit/ui-client'
import { type NotesStore, notesStore, openSession } from '@vertical-kit/ui-client/stores'
import { createElement, type FunctionComponent } from 'react'
import { renderToString } from 'react-dom/server'

const [baseUrl = '', token = '', id = ''] = process.argv.slice(2)
const session = openSession({
  client: createClient({ baseUrl, accessToken: () => token }),
  userId: 'clerk',
})

const NotesList: FunctionComponent<{ notes: NotesStore }> = ({ notes }) => {
  const { items, status } = useStore(notes.$list)
  const rows: readonly Note[] = items
  return createElement(
    'ul',
    { className: status },
    rows.map(({ id: key, text }) => createElement('li', { key }, text)),
  )
}

const notes = notesStore(session, { kind: 'Document', typeCode: 'trade.sales_invoice', id })
await notes.load()
console.log(renderToString(createElement(NotesList, { notes })))
session.close()
