import type { Channel, Severity } from '../contract.ts'

/** What every kind of task or notification says of itself: the preferences of users are about these. */
interface DefinitionBase {
  /** Stable; starts with the vertical's name: `trade.collect_payment`. */
  readonly code: string
  readonly displayName: string
  /** Under which heading preferences show it. */
  readonly category: string
  readonly description: string
  readonly channels: readonly Channel[]
  /** Who may receive it, and so whose preferences show it. Delivery asks again. */
  readonly roleCodes: readonly string[]
  /** What counts for who has not chosen. */
  readonly defaultEnabled: boolean
  readonly userCanDisable: boolean
}

/** A kind of task. Who disables it is no recipient of tasks created from then on. */
export interface TaskDefinition extends DefinitionBase {
  readonly kind: 'Task'
}

/** A kind of notification. */
export interface NotificationDefinition extends DefinitionBase {
  readonly kind: 'Notification'
  readonly severity: Severity
  /** How long one is there; the deployment's `WorkCenter__NotificationRetention` when absent. */
  readonly retentionMs?: number
}

export type ItemDefinition = TaskDefinition | NotificationDefinition

type Defaulted = 'kind' | 'channels' | 'defaultEnabled' | 'userCanDisable'
type Input<Definition extends ItemDefinition> = Omit<Definition, Defaulted> &
  Partial<Pick<Definition, Exclude<Defaulted, 'kind'>>>

const defaults = { channels: ['InApp'], defaultEnabled: true, userCanDisable: true } as const

/** A kind of task: in the app, on for everybody and free to be switched off, unless it says otherwise. */
export function defineTask(input: Input<TaskDefinition>): TaskDefinition {
  return { ...defaults, ...input, kind: 'Task' }
}

/** A kind of notification: in the app, on for everybody and free to be switched off, unless it says otherwise. */
export function defineNotification(input: Input<NotificationDefinition>): NotificationDefinition {
  return { ...defaults, ...input, kind: 'Notification' }
}

/** Whether nobody can be without it: on from the start, and never off. */
export const isMandatory = ({ defaultEnabled, userCanDisable }: ItemDefinition): boolean =>
  defaultEnabled && !userCanDisable
