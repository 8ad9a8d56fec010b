import type { CreateTask, Inbox, TaskDefinition } from '@vertical-kit/work-center'

/** What a document, as it is now, means for the task about it. */
export type Need = 'open' | 'met' | 'gone'

/** What an action has done to the need of its task: anew it is asked for, asked for no more, or neither. */
export type Turn = 'begins' | 'ends' | 'goes on'

type Step = 'create' | 'complete' | 'cancel'

const lastStep: Record<Need, Step> = { open: 'create', met: 'complete', gone: 'cancel' }
const firstStep: Record<Turn, readonly Step[]> = { begins: ['create'], ends: ['cancel'], 'goes on': [] }

/**
 * What to write of a task when an action is heard of, in this order. The last step goes by how the document is by now,
 * so that it does not matter in which order actions on several documents are heard of. The first one makes up for what
 * had happened by then: what was asked for and is done already has been a task, and what was taken back and is asked for
 * again is a task with what the document says now.
 */
export const taskSteps = (turn: Turn, need: Need): readonly Step[] => [...firstStep[turn], lastStep[need]]

export interface FollowDocument {
  readonly definition: TaskDefinition
  readonly deduplicationKey: string
  readonly turn: Turn
  readonly need: Need
  /** The task, if there is to be one; absent where there is nothing to ask for. */
  readonly task: Omit<CreateTask, 'deduplicationKey'> | undefined
}

/** Brings a task into the state its document asks for. */
export function followDocument(inbox: Inbox, input: FollowDocument): void {
  const { definition, deduplicationKey, task } = input
  const { code } = definition
  const write: Record<Step, () => void> = {
    create: () => task && inbox.createTask(code, { ...task, deduplicationKey }),
    complete: () => inbox.completeTask(code, deduplicationKey),
    cancel: () => inbox.cancelTask(code, deduplicationKey),
  }
  for (const step of taskSteps(input.turn, input.need)) write[step]()
}
