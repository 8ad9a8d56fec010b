/** Texts of the team's tasks. */
export const teamTexts = {
  title: 'Team tasks',
  filters: 'Filters',
  show: 'Show',
  views: {
    all: 'All open tasks',
    overdue: 'Overdue',
    unclaimed: 'Unclaimed',
    claimed: 'In progress',
    invisible: 'Visible to nobody',
  },
  oldest: 'Oldest',
  empty: 'There are no open tasks.',
  refresh: 'Refresh',
  holder: (name: string, since: string) => `${name}, since ${since}`,
  unclaimedOf: (role: string) => `Unclaimed, ${role}`,
  recipients: (count: number) => (count === 1 ? '1 recipient' : `${count} recipients`),
  assign: 'Assign',
  forward: 'Forward',
  users: 'Users',
  substitution: 'Substitute',
  substitutionHint:
    'Your substitute sees and handles your tasks for at most 180 days, with their own permissions.',
  substitutedBy: (name: string, from: string, until: string) => `${name}, from ${from} to ${until}`,
  endSubstitution: 'End',
}

/** The English texts of this group. */
export const teamEnglish = { team: teamTexts }
