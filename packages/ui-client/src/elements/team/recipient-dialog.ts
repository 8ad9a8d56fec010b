import type { KitError } from '../../client/kit-error.ts'
import { onDemand } from '../../client/on-demand.ts'
import type { RecipientsOutcome } from '../../stores/team-tasks.ts'
import type { TaskRecipients } from '../../wire/team.ts'
import type { WorkCenterItem } from '../../wire/work-center.ts'
import { DialogOnDemand } from '../parts/dialog-on-demand.ts'
import { itemText } from '../texts.ts'
import { isFullList } from './full-list.ts'

/** The user or role that receives the task, and the comment. */
export interface RecipientChoice {
  readonly to: { readonly userId: string } | { readonly roleCode: string }
  /** The name of the recipient, as the dialog shows it. */
  readonly name: string
  readonly comment: string | null
}

/** The question of the dialog. */
export interface RecipientQuestion {
  readonly title: string
  readonly taskTitle: string
  readonly recipients: TaskRecipients
  readonly hasComment: boolean
  /** Finds other users by a part of their names. It is null if all users are in `recipients`. */
  readonly find: ((q: string) => Promise<RecipientsOutcome>) | null
  /** The error of the last search. */
  readonly error: KitError | null
}

const recipientForm = onDemand(() => import('./recipient-form.ts'))

/** A dialog in which the user chooses who receives a task. */
export class RecipientDialog extends DialogOnDemand<RecipientQuestion, RecipientChoice> {
  protected override readonly module = recipientForm

  /** Loads the recipients of a task, and asks for one. Resolves with null if they cannot be loaded: the store has the error. */
  async askFor<Task extends WorkCenterItem>(
    store: { recipients(task: Task, q?: string): Promise<RecipientsOutcome> },
    task: Task,
    { title, hasComment }: Pick<RecipientQuestion, 'title' | 'hasComment'>,
  ): Promise<RecipientChoice | null> {
    const result = await store.recipients(task)
    if (result === null || 'error' in result) return null
    const recipients = result.value
    const find = isFullList(recipients.users) ? (q: string) => store.recipients(task, q) : null
    const taskTitle = itemText(task.titleText, task.title)
    return this.ask({ title, taskTitle, recipients, hasComment, find, error: null })
  }
}
