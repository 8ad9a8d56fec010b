import type { Attachment } from '../wire/attachments.ts'
import type { BusinessObjectReference } from '../wire/business-objects.ts'
import type { ExecutionResult, NavigationTarget } from '../wire/documents.ts'
import type { Note } from '../wire/notes.ts'
import type { DeadLetter } from '../wire/outbox.ts'
import type { Role, User } from '../wire/security.ts'
import type { TeamTask } from '../wire/team.ts'
import type { WorkCenterItem } from '../wire/work-center.ts'
import type { ShownTimeline } from './audit-timeline/shown-timeline.ts'
import type { ShownTeamView } from './team/shown-team-view.ts'
import type { ShownView } from './work-center/shown-view.ts'

/** A change that the user has made with an element. */
export type Done =
  | {
      readonly kind: 'noteAdded' | 'noteEdited' | 'noteDeleted'
      readonly target: BusinessObjectReference
      readonly note: Note
    }
  | {
      readonly kind: 'fileDeleted'
      readonly target: BusinessObjectReference
      readonly file: Attachment
    }
  | { readonly kind: 'actionExecuted'; readonly result: ExecutionResult }
  | ItemsDone
  /** A supervisor has given tasks to another user or role. */
  | { readonly kind: 'tasksAssigned'; readonly tasks: readonly TeamTask[] }
  /** The user has marked all items of a list as read. */
  | { readonly kind: 'allItemsRead'; readonly count: number }
  | {
      readonly kind: 'userInvited' | 'userRolesChanged' | 'userDeactivated' | 'userReactivated'
      readonly user: User
    }
  | {
      readonly kind: 'roleAdded' | 'roleChanged' | 'roleDeactivated' | 'roleReactivated'
      readonly role: Role
    }
  | { readonly kind: 'deadLetterRetried' | 'deadLetterDiscarded'; readonly letter: DeadLetter }

/** A change of one or more items of the Work Center. `items` are those that have changed, as they are now. */
export interface ItemsDone {
  readonly kind:
    | 'itemsRead'
    | 'itemsUnread'
    | 'itemsDismissed'
    | 'itemsRestored'
    | 'itemsClaimed'
    | 'itemsReleased'
    | 'itemsSnoozed'
    | 'itemsForwarded'
  readonly items: readonly WorkCenterItem[]
}

/** The detail of `vk-done`. A deletion is sent some seconds later, unless it is undone. */
export type DoneDetail = Done & {
  /** The message for the user. */
  readonly text: string
  /** Reverts the change, or null if it cannot be undone. */
  readonly undo: (() => void) | null
}

/** The events of all elements. They bubble and cross shadow roots. */
export interface KitEventMap {
  /** The user has changed something. `preventDefault` suppresses the message in `<vk-toasts>`. */
  'vk-done': CustomEvent<DoneDetail>
  /** The user opens a place. The page decides how. */
  'vk-navigate': CustomEvent<NavigationTarget>
  /** The user opens a file by its name. `preventDefault` prevents the download. */
  'vk-open': CustomEvent<Attachment>
  /** The user opens the object of some uploads. */
  'vk-uploads-open': CustomEvent<BusinessObjectReference>
  /** The user wants to see a change of the object. `preventDefault` keeps the message until the page calls `store.show()`. */
  'vk-show': CustomEvent<BusinessObjectReference>
  'vk-executed': CustomEvent<ExecutionResult>
  /** The ids of the documents that a batch has changed. */
  'vk-batch-done': CustomEvent<readonly string[]>
  'vk-batch-clear': CustomEvent<null>
  /** The user has selected another tab, order or filter: of the Work Center, of the team's tasks, which have a `view`, or of a timeline. */
  'vk-view-changed': CustomEvent<ShownView | ShownTeamView | ShownTimeline>
}

/** The detail of `vk-view-changed` of each element that dispatches it. */
interface ShownViews {
  'vk-audit-timeline': ShownTimeline
  'vk-team-tasks': ShownTeamView
  'vk-work-center': ShownView
}

/** The events that an element of this tag receives: its own, and those of elements inside it. */
export type KitEventsOf<Tag extends string> = {
  [Name in keyof KitEventMap]: Name extends 'vk-view-changed'
    ? Tag extends keyof ShownViews
      ? CustomEvent<ShownViews[Tag]>
      : KitEventMap[Name]
    : KitEventMap[Name]
}

declare global {
  // Elements, shadow roots, the document and the window receive these events.
  interface GlobalEventHandlersEventMap extends KitEventMap {}
  interface ShadowRootEventMap extends KitEventMap {}
}
