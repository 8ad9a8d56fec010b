import type { Channel, Severity } from '../contract.ts'

/** The properties that all definitions share. Each definition is one kind of item, which users can switch on or off. */
interface DefinitionBase {
  /** The stable code, which starts with the vertical's name: `trade.collect_payment`. */
  readonly code: string
  readonly displayName: string
  /** The heading above this definition in the preferences. */
  readonly category: string
  readonly description: string
  /** `InApp`, and `Email` if mails can announce the items. */
  readonly channels: readonly Channel[]
  /** Only members of these roles receive items and see the preference. Each creation of an item checks the roles again. */
  readonly roleCodes: readonly string[]
  /** Whether the definition is on for users without a stored choice. */
  readonly defaultEnabled: boolean
  readonly userCanDisable: boolean
  /** Whether mails are on for users without a stored choice; off by default. Users can always switch mails off. */
  readonly emailDefaultEnabled?: boolean
}

/** A kind of task. Users that switch it off do not receive tasks that are created later. */
export interface TaskDefinition extends DefinitionBase {
  readonly kind: 'Task'
  /**
   * Reminds of each open task that has a due time, once: the claimer or the assigned user, or the members of the role if
   * nobody has claimed the task. Tasks that are created later than this before their due time get no reminder.
   */
  readonly reminder?: {
    readonly notification: NotificationDefinition
    /** The time before the due time, in milliseconds. */
    readonly beforeDueMs: number
  }
  /** Notifies the roles of `notification` of each task that is still open after its due time, once. */
  readonly escalation?: {
    readonly notification: NotificationDefinition
    /** The time after the due time, in milliseconds. 0 notifies them when the task becomes overdue. */
    readonly afterDueMs: number
  }
}

/** A kind of notification. */
export interface NotificationDefinition extends DefinitionBase {
  readonly kind: 'Notification'
  readonly severity: Severity
  /**
   * Whether members of any role can receive it, also of roles that administrators create later. Then `roleCodes` is empty, and each
   * notification names its users.
   */
  readonly isForAllRoles?: boolean
  /** The lifetime of a notification. The default is `WorkCenter__NotificationRetention` of the deployment. */
  readonly retentionMs?: number
}

/** A kind of task or notification. `createWorkCenter` registers all of them at startup. */
export type ItemDefinition = TaskDefinition | NotificationDefinition

type Defaulted = 'kind' | 'channels' | 'defaultEnabled' | 'userCanDisable'
type Input<Definition extends ItemDefinition> = Omit<Definition, Defaulted> &
  Partial<Pick<Definition, Exclude<Defaulted, 'kind'>>>

const defaults = { channels: ['InApp'], defaultEnabled: true, userCanDisable: true } as const

/** Defines a kind of task. By default, it is shown in the app and switched on, and users can switch it off. */
export function defineTask(input: Input<TaskDefinition>): TaskDefinition {
  return { ...defaults, ...input, kind: 'Task' }
}

/** Defines a kind of notification. By default, it is shown in the app and switched on, and users can switch it off. */
export function defineNotification(input: Input<NotificationDefinition>): NotificationDefinition {
  return { ...defaults, ...input, kind: 'Notification' }
}

/** Returns whether a definition is mandatory: it is on by default, and users cannot switch it off. */
export const isMandatory = ({ defaultEnabled, userCanDisable }: ItemDefinition): boolean =>
  defaultEnabled && !userCanDisable

/** Returns whether members of any role can receive items of a definition. */
export const isForAllRoles = (definition: ItemDefinition): boolean =>
  definition.kind === 'Notification' && definition.isForAllRoles === true

/** Returns whether a channel of a definition is on for users without a stored choice. */
export const isDefault = (definition: ItemDefinition, channel: Channel): boolean =>
  channel === 'Email' ? (definition.emailDefaultEnabled ?? false) : definition.defaultEnabled

/**
 * Returns the definition, and the notifications of its reminder and escalation, with only those channels that the deployment
 * offers: without mail, no statement and no preference mentions it.
 */
export function inChannels<Definition extends ItemDefinition>(
  definition: Definition,
  offered: readonly Channel[],
): Definition {
  const channels = definition.channels.filter((channel) => offered.includes(channel))
  if (definition.kind === 'Notification') return { ...definition, channels }
  const { reminder, escalation } = definition
  const restricted = <Notice extends { readonly notification: NotificationDefinition }>(notice: Notice) => ({
    ...notice,
    notification: inChannels(notice.notification, offered),
  })
  return {
    ...definition,
    channels,
    ...(reminder && { reminder: restricted(reminder) }),
    ...(escalation && { escalation: restricted(escalation) }),
  }
}

/** Returns all definitions, each like {@link inChannels}. */
export const offering = (
  definitions: readonly ItemDefinition[],
  offered: readonly Channel[],
): readonly ItemDefinition[] => definitions.map((definition) => inChannels(definition, offered))
