import type { Channel, Severity } from '../contract.ts'

/** The properties that all definitions share. Each definition is one kind of item, which users can switch on or off. */
interface DefinitionBase {
  /** The stable code, which starts with the vertical's name: `trade.collect_payment`. */
  readonly code: string
  readonly displayName: string
  /** The heading that preferences show it under. */
  readonly category: string
  readonly description: string
  readonly channels: readonly Channel[]
  /** The roles that may receive it and that see it in their preferences. Every creation checks them again. */
  readonly roleCodes: readonly string[]
  /** The value for users without a stored choice. */
  readonly defaultEnabled: boolean
  readonly userCanDisable: boolean
}

/** A kind of task. Users that disable it receive no tasks created afterwards. */
export interface TaskDefinition extends DefinitionBase {
  readonly kind: 'Task'
}

/** A kind of notification. */
export interface NotificationDefinition extends DefinitionBase {
  readonly kind: 'Notification'
  readonly severity: Severity
  /** Lifetime of a notification; the deployment's `WorkCenter__NotificationRetention` when absent. */
  readonly retentionMs?: number
}

export type ItemDefinition = TaskDefinition | NotificationDefinition

type Defaulted = 'kind' | 'channels' | 'defaultEnabled' | 'userCanDisable'
type Input<Definition extends ItemDefinition> = Omit<Definition, Defaulted> &
  Partial<Pick<Definition, Exclude<Defaulted, 'kind'>>>

const defaults = { channels: ['InApp'], defaultEnabled: true, userCanDisable: true } as const

/** Defines a kind of task. Defaults: delivered in the app, on for all users, and users can switch it off. */
export function defineTask(input: Input<TaskDefinition>): TaskDefinition {
  return { ...defaults, ...input, kind: 'Task' }
}

/** Defines a kind of notification. Defaults: delivered in the app, on for all users, and users can switch it off. */
export function defineNotification(input: Input<NotificationDefinition>): NotificationDefinition {
  return { ...defaults, ...input, kind: 'Notification' }
}

/** Returns whether all users receive it: it is on by default and users cannot switch it off. */
export const isMandatory = ({ defaultEnabled, userCanDisable }: ItemDefinition): boolean =>
  defaultEnabled && !userCanDisable
