import type { TeamSort } from '../../wire/team.ts'
import type { TeamView } from './team-tasks.ts'

/** The selected view, order and user of the team's tasks. A page can store them in its URL. */
export interface ShownTeamView {
  readonly view: TeamView
  readonly sort: TeamSort
  /** The id of the user whose tasks are shown, or an empty text for the tasks of all users. */
  readonly claimedBy: string
}
