// The page of an order in the application of `notes-in-hono-drizzle.ts`. The server renders the elements, and the ids of the order and
// of the signed-in user:
//
//     <body data-order-id="…" data-user-id="…">
//       <vk-notes></vk-notes>
//       <vk-attachments></vk-attachments>
//       <vk-audit-timeline></vk-audit-timeline>
//       <vk-toasts></vk-toasts>
//
// Without `accessToken`, the client sends the session cookie of the application.
import { createClient } from '@vertical-kit/ui-client'
import { defineElements } from '@vertical-kit/ui-client/elements'
import { openSession } from '@vertical-kit/ui-client/stores'

defineElements()
const { orderId = '', userId = '' } = document.body.dataset
const session = openSession({ client: createClient({}), userId })
const target = { kind: 'Document', typeCode: 'shop.order', id: orderId } as const
for (const element of document.querySelectorAll('vk-notes, vk-attachments, vk-audit-timeline, vk-toasts')) {
  Object.assign(element, { session, target })
}
