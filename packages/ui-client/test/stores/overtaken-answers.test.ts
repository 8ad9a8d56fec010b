import { createClient } from '@vertical-kit/ui-client'
import { documentActionsStore, openSession } from '@vertical-kit/ui-client/stores'
import { expect, onTestFinished, test } from 'vitest'

const document = { typeCode: 'shop.order', id: '0199c000-0000-7000-8000-000000000001' }
const editorState = (documentVersion: number) => Response.json({ document, documentVersion, actions: [] })

test('a load that another one replaces ends with the answer to the newer one', async () => {
  const answers: ((response: Response) => void)[] = []
  const client = createClient({
    accessToken: () => 'token',
    fetch: () => new Promise((answer) => answers.push(answer)),
  })
  const session = openSession({ client, userId: 'clerk' })
  onTestFinished(() => session.close())
  const store = documentActionsStore(session, document)
  const statuses: string[] = []
  const loading = store.load().then(() => statuses.push(store.$state.get().status))
  session.announce({ kind: 'document', ...document })
  await expect.poll(() => answers.length).toBe(2)
  const first = editorState(1)
  answers[0]?.(first)
  await expect.poll(() => first.bodyUsed).toBe(true)
  // The store has seen the body.
  await new Promise(setImmediate)
  expect(statuses).toEqual([])
  answers[1]?.(editorState(2))
  await loading
  expect(statuses).toEqual(['ready'])
  expect(store.$state.get().state?.documentVersion).toBe(2)
})
