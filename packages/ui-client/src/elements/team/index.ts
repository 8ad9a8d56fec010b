export { defineTeamElements } from './define-elements.ts'
export type { ShownTeamView } from './shown-team-view.ts'
export { SubstitutionForm } from './substitution-form.ts'
export { TeamTasks, type TeamView } from './team-tasks.ts'
