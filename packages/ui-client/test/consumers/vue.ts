import { useStore } from '@nanostores/vue'
import { createClient } from '@vertical-kit/ui-client'
import { type NotesStore, notesStore, openSession } from '@vertical-kit/ui-client/stores'
import { createSSRApp, defineComponent, h, type PropType } from 'vue'
import { renderToString } from 'vue/server-renderer'

const [baseUrl = '', token = '', id = ''] = process.argv.slice(2)
const session = openSession({
  client: createClient({ baseUrl, accessToken: () => token }),
  userId: 'clerk',
})

const NotesList = defineComponent({
  props: { notes: { type: Object as PropType<NotesStore>, required: true } },
  setup(props) {
    const list = useStore(props.notes.$list)
    return () =>
      h(
        'ul',
        { class: list.value.status },
        list.value.items.map(({ id: key, text }) => h('li', { key }, text)),
      )
  },
})

const notes = notesStore(session, { kind: 'Document', typeCode: 'trade.sales_invoice', id })
await notes.load()
console.log(await renderToString(createSSRApp(NotesList, { notes })))
session.close()
