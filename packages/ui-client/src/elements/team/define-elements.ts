import { define } from '../define.ts'
import { ListEnd } from '../parts/list-end.ts'
import { RecipientDialog } from './recipient-dialog.ts'
import { SubstitutionForm } from './substitution-form.ts'
import { TeamTasks } from './team-tasks.ts'

declare global {
  interface HTMLElementTagNameMap {
    'vk-substitution': SubstitutionForm
    'vk-team-tasks': TeamTasks
  }
}

/** Registers the elements for teams with the page, and those that they use. Skips tags that are already registered. */
export const defineTeamElements = (): void =>
  define({
    'vk-list-end': ListEnd,
    'vk-recipient-dialog': RecipientDialog,
    'vk-substitution': SubstitutionForm,
    'vk-team-tasks': TeamTasks,
  })
