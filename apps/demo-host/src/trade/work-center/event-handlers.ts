import type { EventHandler } from '@vertical-kit/work-center'
import { deletedInvoiceHandler, orderHandler } from './event-handlers/order-handler.ts'
import { receivableHandler } from './event-handlers/receivable-handler.ts'
import { writeOffHandler } from './event-handlers/write-off-handler.ts'

/** The event handlers that turn document actions into tasks and notifications, for `createWorkCenter`. */
export const tradeEventHandlers: readonly EventHandler[] = [
  receivableHandler,
  writeOffHandler,
  orderHandler,
  deletedInvoiceHandler,
]
