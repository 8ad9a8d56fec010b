import type { Document, ExecutionResult } from '@vertical-kit/ui-client'
import type { Session } from '@vertical-kit/ui-client/stores'
import { html, nothing, type TemplateResult } from 'lit'
import type { Entry } from '../data/entries.ts'
import { actionIcons } from '../icons.ts'
import { type ListDefinition, lists, permissionFor } from '../lists.ts'
import type { Workspace } from '../workspace.ts'
import { editors } from './editors/editors.ts'
import './demo-balance.ts'
import './demo-effects.ts'
import './demo-payment-balance.ts'
import './demo-related.ts'

/** The input of {@link entryLive}. */
interface EntryLive {
  readonly session: Session
  readonly list: ListDefinition
  readonly id: string
  /** Whether the form already tells about the change. */
  readonly isHidden: boolean
  /** The user wants to see the change. */
  readonly followed: () => void
}

/** Tells that somebody else has changed the entry. It is below the actions, so that it never moves their buttons. */
export function entryLive({ session, list, id, isHidden, followed }: EntryLive): TemplateResult {
  const target = { kind: list.kind, typeCode: list.typeCode, id }
  return html`<vk-live-object
    .session=${session}
    .target=${target}
    ?hidden=${isHidden}
    @click=${followed}
  ></vk-live-object>`
}

/** Renders the actions of a document. */
export function entryActions(
  { session, collectPayload }: Workspace,
  { typeCode, id }: Document,
  executed: (event: CustomEvent<ExecutionResult>) => void,
): TemplateResult {
  return html`<vk-document-actions
    .session=${session}
    .documentType=${typeCode}
    .documentId=${id}
    .collectPayload=${collectPayload}
    .icons=${actionIcons}
    @vk-executed=${executed}
  ></vk-document-actions>`
}

/** Renders the user's tasks about a document. They are at the end of the view, because a new task must not move anything. */
export function entryTasks(
  { session, collectPayload }: Workspace,
  entry: Entry,
  executed: (event: CustomEvent<ExecutionResult>) => void,
): TemplateResult | typeof nothing {
  if (!('number' in entry)) return nothing
  return html`<vk-your-tasks
    role="group"
    aria-label="Your tasks"
    .session=${session}
    .documentType=${entry.typeCode}
    .documentId=${entry.id}
    .collectPayload=${collectPayload}
    @vk-executed=${executed}
  ></vk-your-tasks>`
}

/** Renders the text of a draft, what a posted document has done to the books and what is paid, and the related documents. */
export function entryBooks(workspace: Workspace, entry: Entry): TemplateResult | typeof nothing {
  if (!('number' in entry)) return nothing
  const { typeCode, id, updatedAtUtc } = entry
  const related = html`<demo-related
    .workspace=${workspace}
    .typeCode=${typeCode}
    .documentId=${id}
    .updatedAtUtc=${updatedAtUtc}
  ></demo-related>`
  if (entry.status !== 'Posted') return html`${draftText(workspace, entry)} ${related}`
  return html`${balanceOf(workspace, entry)}
    <demo-effects
      .workspace=${workspace}
      .typeCode=${typeCode}
      .documentId=${id}
      .updatedAtUtc=${updatedAtUtc}
    ></demo-effects>
    ${related}`
}

/** Renders the saved values of a draft as text. Only a printout shows it, in place of the form. */
function draftText({ desk, may }: Workspace, draft: Entry & Document): TemplateResult | typeof nothing {
  const list = lists.find(({ typeCode }) => typeCode === draft.typeCode)
  // Without a form, the page shows this text anyway.
  const hasForm = list !== undefined && draft.status === 'Draft' && may(permissionFor(list, 'edit'))
  if (!hasForm) return nothing
  return html`<div class="card entry-print">${editors[list.path].sheet(draft, desk)}</div>`
}

function balanceOf(
  workspace: Workspace,
  document: Extract<Entry, { number: string }>,
): TemplateResult | typeof nothing {
  const { typeCode, id, updatedAtUtc } = document
  if (typeCode === 'trade.sales_invoice')
    return html`<demo-balance
      .session=${workspace.session}
      .workspace=${workspace}
      .invoice=${document}
    ></demo-balance>`
  if (typeCode === 'trade.customer_payment')
    return html`<demo-payment-balance
      .workspace=${workspace}
      .typeCode=${typeCode}
      .documentId=${id}
      .updatedAtUtc=${updatedAtUtc}
      .payment=${document}
    ></demo-payment-balance>`
  return nothing
}
