// A page with elements in JSX. The compiler checks it; nothing runs.

import type { BusinessObjectReference, ExecutionResult } from '@vertical-kit/ui-client'
import type {} from '@vertical-kit/ui-client/react'
import type { Session } from '@vertical-kit/ui-client/stores'
import { useRef } from 'react'

interface Shown {
  readonly session: Session | undefined
  readonly target: BusinessObjectReference
  opened(code: string): void
  executed(result: ExecutionResult): void
}

export function Page({ session, target, opened, executed }: Shown) {
  const notes = useRef<HTMLElementTagNameMap['vk-notes']>(null)
  return (
    <main>
      <vk-notes
        ref={notes}
        key={target.id}
        className="notes"
        session={session}
        target={target}
        maxChars={2_000}
        onvk-done={({ detail }) => detail.kind === 'noteAdded' && opened(detail.note.id)}
        onvk-navigate={(event) => opened(event.detail.code)}
      >
        <h2 slot="heading">Notes</h2>
      </vk-notes>
      <vk-work-center
        session={session}
        density="comfortable"
        tab="tasks"
        filters={{ overdue: true }}
        noShortcuts
        onvk-view-changed={({ detail }) => opened(detail.tab)}
      />
      <vk-team-tasks session={session} onvk-view-changed={({ detail }) => opened(detail.view)} />
      <vk-audit-timeline
        session={session}
        onvk-view-changed={({ detail }) => opened(detail.filters.actionCode ?? '')}
      />
      <vk-notes session={null} target={null} maxChars={undefined} autofocus />
      <vk-take-action
        session={session}
        actionCode="post"
        label="Post"
        onvk-executed={({ detail }) => executed(detail)}
      />
      <vk-roles session={session} />
      <button type="button" onClick={() => notes.current?.focus()}>
        Write a note
      </button>
      {/* @ts-expect-error A note belongs to an object, not to a text. */}
      <vk-notes target="invoice" />
      {/* @ts-expect-error The element has no such density. */}
      <vk-work-center density="dense" />
      {/* @ts-expect-error Methods are no props. */}
      <vk-take-action take={() => undefined} />
      {/* @ts-expect-error The state of the element is internal. */}
      <vk-attachments selected={new Set()} />
      {/* @ts-expect-error The detail of `vk-navigate` is a place. */}
      <vk-notes onvk-navigate={({ detail }) => detail.length} />
      {/* @ts-expect-error No element has this tag. */}
      <vk-unknown />
    </main>
  )
}
